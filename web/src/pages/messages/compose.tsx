import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { useCallback, useRef, useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import type { Envelope } from '../../api/schema.ts';
import { lastList } from '../../parts/threads/shown-list.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Copyable, PageHeader, PartyName } from '../../ui/parts.tsx';
import { useWritingForm } from '../../ui/shortcuts.ts';
import { Composer } from './composer.tsx';
import { placeOfNew } from './draft.ts';
import { ReceiptNote } from './receipt-note.tsx';

export function ComposePage() {
  const { to } = useSearch({ from: '/app/compose' });
  const business = useActiveBusiness();
  const [sent, setSent] = useState<Envelope>();
  if (sent) return <Sent message={sent} onAnother={() => setSent(undefined)} />;
  return <NewMessage key={`${business} ${to}`} to={to} onSent={setSent} />;
}

function NewMessage({ to, onSent }: { to: string | undefined; onSent(sent: Envelope): void }) {
  const navigate = useNavigate();
  const { history } = useRouter();
  const page = useRef<HTMLDivElement>(null);
  // The text is kept as a draft, and the person is asked about files.
  const leave = useCallback(() => {
    if (history.canGoBack()) history.back();
    else void navigate({ to: '/inbox', search: lastList() });
  }, [history, navigate]);
  useWritingForm(page, leave);
  return (
    <div ref={page} className="relative max-w-3xl has-[table]:max-w-6xl">
      <PageHeader title="New message" />
      <Composer place={placeOfNew(to)} {...(to !== undefined && { initial: { to } })} onSent={onSent} />
    </div>
  );
}

function Sent({ message, onAnother }: { message: Envelope; onAnother(): void }) {
  return (
    <div className="max-w-3xl">
      <PageHeader title="Sent" />
      <p className="mb-6 flex items-center gap-2.5">
        <CircleCheck className="size-5 shrink-0 text-good" aria-hidden />
        <span>
          Delivered to <PartyName party={message.to.party} segment={message.to.segment} />.
        </span>
      </p>
      <h2 className="mb-1 font-medium">Receipt</h2>
      <div className="mb-3">
        <ReceiptNote />
      </div>
      <Copyable text={message.receipt_url} label="receipt link" />
      <div className="mt-6 flex flex-wrap gap-2">
        <ButtonLink look="primary" to="/threads/$id" params={{ id: message.thread_id }} hash={message.id}>
          Open thread
        </ButtonLink>
        <Button onClick={onAnother}>New message</Button>
      </div>
    </div>
  );
}
