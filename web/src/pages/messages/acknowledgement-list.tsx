import { CircleCheck, CircleX, Inbox, TimerOff } from 'lucide-react';
import type { ResponseOf } from '../../api/client.ts';
import type { Acknowledgement } from '../../api/schema.ts';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/parts.tsx';
import type { ACKNOWLEDGEMENTS } from './acknowledgement-operations.ts';

const WORDS: Record<Acknowledgement['status'], string> = { accepted: 'Accepted', rejected: 'Rejected', processed: 'Processed' };

type Known = ResponseOf<typeof ACKNOWLEDGEMENTS>;

interface AcknowledgementListProps {
  said: Acknowledgement[];
  handedOver: Known['handed_over'] | undefined;
  expired: Known['expired'] | undefined;
}

/** What became of a message, and what its recipient said of it. */
export function AcknowledgementList({ said, handedOver, expired }: AcknowledgementListProps) {
  return (
    <>
      {expired ? (
        <p className="flex items-start gap-1.5">
          <TimerOff className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
          <span>
            Nobody took it in time · <Time at={expired.at} />
          </span>
        </p>
      ) : null}
      {handedOver ? (
        <p className="flex items-start gap-1.5">
          <Inbox className="mt-0.5 size-4 shrink-0" aria-hidden />
          <span>
            Taken by their {handedOver.way === 'webhook' ? 'webhook' : 'worker'} · <Time at={handedOver.at} />
          </span>
        </p>
      ) : null}
      {said.length > 0 ? (
        <ul aria-label="Acknowledgements" className="space-y-1">
          {said.map((one) => (
            <Said key={one.status} said={one} />
          ))}
        </ul>
      ) : null}
    </>
  );
}

function Said({ said: { status, reason, at, actor, signing_key_id } }: { said: Acknowledgement }) {
  const Icon = status === 'rejected' ? CircleX : CircleCheck;
  return (
    <li className="flex items-start gap-1.5">
      <Icon className={`mt-0.5 size-4 shrink-0 ${status === 'rejected' ? 'text-bad' : 'text-good'}`} aria-hidden />
      <span className="min-w-0">
        <span className="text-ink">{WORDS[status]}</span> by <Name>{actor.name}</Name> · <Time at={at} />
        {signing_key_id === null ? null : ' · signed'}
        {reason === null || reason === '' ? null : (
          <bdi dir="auto" className="block break-words whitespace-pre-wrap">
            {reason}
          </bdi>
        )}
      </span>
    </li>
  );
}
