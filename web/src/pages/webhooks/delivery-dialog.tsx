import { Link } from '@tanstack/react-router';
import { useReading } from '../../api/queries.ts';
import type { Delivery } from '../../api/schema.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Name } from '../../ui/name.tsx';
import { Copyable, Fact, Facts, Time } from '../../ui/parts.tsx';
import { DeliveryState } from './delivery-state.tsx';
import { duration } from './numbers.ts';

const ATTEMPTS_MAX = 6;

const MEANINGS: Record<Delivery['status'], string> = {
  pending: 'This attempt is queued.',
  delivered: 'Your endpoint accepted it.',
  retrying: 'This attempt failed. It will be retried.',
  dropped: 'The last attempt failed. The message is still in your inbox.',
  failed: 'Tests are not retried.',
};

/** The details of one attempt. */
export function DeliveryDialog({ delivery, onClose }: { delivery: Delivery; onClose(): void }) {
  const { id, event, status, attempt, status_code, response_ms, error, created_at, attempted_at, next_attempt_at } = delivery;
  const isTest = event === 'message.test';
  return (
    <Dialog title={isTest ? 'Test delivery' : 'Message delivery'} onClose={onClose} isWide>
      <p className="mb-5 flex flex-wrap items-center gap-x-3 gap-y-1 text-soft">
        <DeliveryState status={status} />
        {MEANINGS[status]}
      </p>
      <Facts>
        {error !== null ? (
          <Fact name="Error">
            <bdi className="text-bad">{error}</bdi>
          </Fact>
        ) : null}
        <Fact name="Response">
          {status_code === null ? 'None' : `HTTP ${status_code}`}
          {response_ms === null ? null : <span className="text-soft"> after {duration(response_ms)}</span>}
        </Fact>
        <Fact name="Attempt">{isTest ? '1 of 1' : `${attempt} of ${ATTEMPTS_MAX}`}</Fact>
        <Fact name="Queued">
          <Time at={created_at} isExact />
        </Fact>
        <Fact name="Started">{attempted_at === null ? 'Not yet' : <Time at={attempted_at} isExact />}</Fact>
        {next_attempt_at === null ? null : (
          <Fact name={status === 'pending' ? 'Due' : 'Next attempt'}>
            <Time at={next_attempt_at} isExact />
          </Fact>
        )}
        <Fact name="Event">
          <code className="font-mono text-sm">{event}</code>
        </Fact>
        {isTest ? null : (
          <Fact name="Message">
            <MessageLink id={delivery.message_id} />
          </Fact>
        )}
        <Fact name="Message id">
          <Copyable text={delivery.message_id} label="message id" />
        </Fact>
        <Fact name="Delivery id">
          <Copyable text={id} label="delivery id" />
        </Fact>
      </Facts>
    </Dialog>
  );
}

/** Loads the message, since a delivery does not name its thread. */
function MessageLink({ id }: { id: string }) {
  const { data: message, error } = useReading('GET /v1/messages/{id}', { path: { id } });
  if (error) return <span className="text-soft">{error.message}</span>;
  if (!message) return <span className="text-soft">…</span>;
  return (
    <>
      <Link to="/threads/$id" params={{ id: message.thread_id }} hash={id} className="text-accent underline">
        <Name>{message.subject ?? message.type ?? 'Open message'}</Name>
      </Link>{' '}
      <span className="text-soft">
        from <Name>{message.from.party.display_name}</Name>
      </span>
    </>
  );
}
