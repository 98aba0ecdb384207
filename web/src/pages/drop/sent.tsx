import { CircleCheck } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Envelope } from '../../api/schema.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Name } from '../../ui/name.tsx';
import { Copyable, PartyName } from '../../ui/parts.tsx';

/** It has arrived; here is the proof, and what comes next. */
export function Sent({ message, onAnother }: { message: Envelope; onAnother(): void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // What was focused is gone, and this is what there is to be read.
  useEffect(() => heading.current?.focus(), []);
  const { from, to, receipt_url } = message;
  const token = new URL(receipt_url).pathname.split('/').at(-1) as string;
  return (
    <section aria-labelledby="sent">
      <h2 id="sent" ref={heading} tabIndex={-1} className="flex items-center gap-2.5 text-lg font-semibold outline-none">
        <CircleCheck className="size-5 shrink-0 text-good" aria-hidden />
        Delivered
      </h2>
      <p className="mt-1.5 text-soft">
        It is in the inbox of <PartyName party={to.party} segment={to.segment} />.{' '}
        {from.party.kind === 'handle' ? (
          <>
            An answer comes to the inbox of <Name>{from.party.display_name}</Name>.
          </>
        ) : from.actor.email === null ? null : (
          <>
            You will get a mail at <Name className="text-ink">{from.actor.email}</Name> when they answer.
          </>
        )}
      </p>
      <h3 className="mt-6 mb-1 font-medium">Your receipt</h3>
      <p className="mb-3 text-soft">
        Keep the link. Whoever has it sees that this was delivered, with subject, message and file names, but not the files.
      </p>
      <Copyable text={receipt_url} label="receipt link" />
      <div className="mt-6 flex flex-wrap gap-2">
        <ButtonLink look="primary" to="/r/$token" params={{ token }}>
          Open the receipt
        </ButtonLink>
        <Button onClick={onAnother}>Write another</Button>
      </div>
    </section>
  );
}
