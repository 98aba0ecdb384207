import { CircleCheck } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Envelope } from '../../api/schema.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Name } from '../../ui/name.tsx';
import { Copyable, PartyName } from '../../ui/parts.tsx';

export function Sent({ message, onAnother }: { message: Envelope; onAnother(): void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The focused form is gone, so screen readers continue with the result.
  useEffect(() => heading.current?.focus(), []);
  const { from, to, receipt_url } = message;
  const token = new URL(receipt_url).pathname.split('/').at(-1) ?? '';
  return (
    <section aria-labelledby="sent">
      <h2 id="sent" ref={heading} tabIndex={-1} className="flex items-center gap-2.5 text-lg font-semibold outline-none">
        <CircleCheck className="size-5 shrink-0 text-good" aria-hidden />
        Delivered
      </h2>
      <p className="mt-1.5 text-soft">
        Delivered to the inbox of <PartyName party={to.party} segment={to.segment} />.{' '}
        {from.party.kind === 'handle' ? (
          <>
            Replies arrive in the inbox of <Name>{from.party.display_name}</Name>.
          </>
        ) : from.actor.email === null ? null : (
          <>
            Replies are sent to <Name className="text-ink">{from.actor.email}</Name>.
          </>
        )}
      </p>
      <h3 className="mt-6 mb-1 font-medium">Your receipt</h3>
      <p className="mb-3 text-soft">Keep the link. Anyone who has it can see the subject, message and file names, but not the files.</p>
      <Copyable text={receipt_url} label="receipt link" />
      <div className="mt-6 flex flex-wrap gap-2">
        <ButtonLink look="primary" to="/r/$token" params={{ token }}>
          Open receipt
        </ButtonLink>
        <Button onClick={onAnother}>New message</Button>
      </div>
    </section>
  );
}
