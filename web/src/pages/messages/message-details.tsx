import { Receipt } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { retried } from '../../api/lazy.ts';
import type { Message } from './thread-messages.ts';

const MessageFacts = lazy(retried(async () => ({ default: (await import('./message-facts.tsx')).MessageFacts })));

/** Ids, hashes and the actor. They are one click away, because few people need them. */
export function MessageDetails({ message }: { message: Message }) {
  const [isOpen, setOpen] = useState(false);
  const { receipt_url } = message;
  return (
    <div className="text-sm text-soft">
      <p className="hidden text-xs break-all print:block">Receipt: {receipt_url}</p>
      <p className="flex items-center gap-4 print:hidden">
        <a
          href={receipt_url}
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1.5 rounded hover:text-ink hover:underline"
        >
          <Receipt className="size-4" aria-hidden />
          Receipt
        </a>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} className="rounded hover:text-ink hover:underline">
          {isOpen ? 'Hide details' : 'Details'}
        </button>
      </p>
      {isOpen ? (
        <div className="mt-3 rounded-lg bg-tint px-4 py-3">
          <Suspense>
            <MessageFacts message={message} />
          </Suspense>
        </div>
      ) : null}
    </div>
  );
}
