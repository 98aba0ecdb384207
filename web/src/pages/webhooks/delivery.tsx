import { useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronLeft, RotateCw } from 'lucide-react';
import { useCallback } from 'react';
import { forget, useAction, useReading } from '../../api/queries.ts';
import type { Webhook, WebhookDelivery } from '../../api/schema.ts';
import { JsonView } from '../../json/json-view.tsx';
import { Button } from '../../ui/button.tsx';
import { Name } from '../../ui/name.tsx';
import { Copyable, CopyButton, Fact, Facts, PageHeader, Rows, Section, Time } from '../../ui/parts.tsx';
import { ErrorNote, States } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { AttemptItem } from './attempt.tsx';
import { curlFor } from './curl.ts';
import { DeliveryState, meaningOf } from './delivery-state.tsx';
import { nameOfEvent } from './events.tsx';
import { useReloadWhenDue } from './reload-when-due.ts';

const DELIVERY = 'GET /v1/webhooks/{id}/messages/{message_id}';

export function DeliveryPage() {
  const { id, delivery } = useParams({ from: '/app/webhooks/$id/messages/$delivery' });
  const webhook = useReading('GET /v1/webhooks/{id}', { path: { id } });
  const found = useReading(DELIVERY, { path: { id, message_id: delivery } });
  const queries = useQueryClient();
  const reload = useCallback(() => void forget(queries, DELIVERY), [queries]);
  useReloadWhenDue(found.data?.attempts ?? [], found.isFetching, reload);
  return (
    <>
      <Link to="/webhooks/$id" params={{ id }} className="mb-2 inline-flex items-center gap-1 rounded text-sm text-soft hover:text-ink">
        <ChevronLeft className="size-4" aria-hidden />
        Webhook
      </Link>
      {found.data && webhook.data ? null : <PageHeader title="Delivery" />}
      <States of={webhook}>{(data) => <States of={found}>{(shown) => <Shown webhook={data} delivery={shown} />}</States>}</States>
    </>
  );
}

function Shown({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const { message_id, event_id, state, attempts, body, next_attempt_at } = delivery;
  const isTest = attempts.every(({ event }) => event === 'message.test');
  const isReceived = attempts.every(({ event }) => event === 'message.received');
  const redeliver = useAction('POST /v1/messages/{id}/redeliver', { changes: [DELIVERY, 'GET /v1/webhooks/{id}/messages'] });
  const latest = attempts.find(({ status, attempt }) => status !== 'pending' || attempt === 1);
  return (
    <>
      <PageHeader
        title={isTest ? 'Test delivery' : isReceived ? 'Message delivery' : 'Event delivery'}
        actions={
          <>
            {body === null ? null : <CopyButton text={curlFor(webhook.url, latest?.request ?? null, body)} label="Copy as curl" />}
            {message_id === null || !isReceived ? null : (
              <Button
                look="primary"
                isBusy={redeliver.isPending}
                disabled={!webhook.active}
                title={webhook.active ? undefined : 'The webhook is paused'}
                icon={<RotateCw className="size-4" aria-hidden />}
                onClick={() =>
                  redeliver.mutate(
                    { path: { id: message_id }, body: { webhook_id: webhook.id } },
                    { onSuccess: () => say('Redelivery queued') },
                  )
                }
              >
                Redeliver
              </Button>
            )}
          </>
        }
      />
      {redeliver.error ? <ErrorNote error={redeliver.error} /> : null}
      <Facts>
        <Fact name="State">
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <DeliveryState status={state} retryAt={next_attempt_at} />
            <span className="text-soft">{meaningOf(state)}</span>
          </span>
        </Fact>
        {next_attempt_at === null ? null : (
          <Fact name="Next attempt">
            <Time at={next_attempt_at} isExact />
          </Fact>
        )}
        <Fact name="Webhook">
          <span className="font-mono text-sm break-all">{webhook.url}</span>
        </Fact>
        {isReceived ? null : <Fact name="Event">{attempts[0] ? nameOfEvent(attempts[0]) : ''}</Fact>}
        {isTest || message_id === null ? null : (
          <Fact name="Message">
            <MessageLink id={message_id} />
          </Fact>
        )}
        <Fact name={isReceived || isTest ? 'Message id' : 'Event id'}>
          <Copyable text={event_id} label={isReceived || isTest ? 'message id' : 'event id'} />
        </Fact>
      </Facts>
      <Section title="Attempts">
        <Rows label="Attempts">
          {attempts.map((attempt) => (
            <AttemptItem key={attempt.id} attempt={attempt} isOpen={attempt === latest} />
          ))}
        </Rows>
      </Section>
      <Section title="Request body" actions={body === null ? undefined : <CopyButton text={body} label="Copy body" />}>
        {body === null ? <p className="text-soft">What this was about is no longer there.</p> : <JsonView text={body} name={event_id} />}
      </Section>
    </>
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
