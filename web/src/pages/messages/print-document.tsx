import { Suspense, useEffect, useEffectEvent } from 'react';
import { createPortal } from 'react-dom';
import { useReading } from '../../api/queries.ts';
import type { Party, Validation } from '../../api/schema.ts';
import { DocumentSheet } from '../../documents/document-sheet.tsx';
import { JsonFault, parseJson } from '../../json/parse.ts';
import { longTime } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { addressOf, isNamedByAddress } from '../../ui/parts.tsx';
import { say } from '../../ui/toast.tsx';
import { PrintWhenReady } from './print-when-ready.tsx';
import { type Message, useFullMessage } from './thread-messages.ts';

const NO_ERRORS: Validation['errors'] = [];

/** Prints the document of a message and nothing else of the page. */
export function PrintDocument({ message, onDone }: { message: Message; onDone(): void }) {
  const { data: full, error } = useFullMessage(message);
  const handle = message.from.party.kind === 'handle' ? message.from.party.handle : '';
  const logo = useReading('GET /v1/public/{handle}/drop-page', { path: { handle } }, { enabled: handle !== '' });
  const failed = useEffectEvent(() => {
    say(error?.message ?? '');
    onDone();
  });
  useEffect(() => {
    if (error) failed();
  }, [error]);
  if (!full || (handle !== '' && logo.isPending)) return null;
  const tree = parseJson(full.json ?? 'null');
  return createPortal(
    <div data-print-sheet="">
      <Suspense fallback={null}>
        <Letterhead message={message} logoPath={logo.data?.logo_path ?? null} />
        {tree instanceof JsonFault ? null : <DocumentSheet tree={tree} message={message} errors={NO_ERRORS} isPrinting />}
        <p className="mt-8 text-xs break-all text-soft">Receipt: {message.receipt_url}</p>
        <PrintWhenReady onDone={onDone} />
      </Suspense>
    </div>,
    document.body,
  );
}

/** The sender, as the service knows it, above the document that the sender wrote. */
function Letterhead({ message: { from, to, received_at }, logoPath }: { message: Message; logoPath: string | null }) {
  return (
    <header className="mb-8 flex items-start justify-between gap-8 border-b border-line pb-4">
      <div className="flex min-w-0 items-center gap-3">
        {logoPath === null ? null : <img src={logoPath} alt="" className="h-12 max-w-48 object-contain" />}
        <Sender party={from.party} />
      </div>
      <p className="shrink-0 text-right text-xs text-soft">
        To <PlainName party={to.party} />
        <br />
        Delivered {longTime(new Date(received_at))}
      </p>
    </header>
  );
}

function Sender({ party }: { party: Party }) {
  return (
    <p className="min-w-0 wrap-anywhere">
      <span className="block text-lg font-semibold">
        <Name>{party.display_name}</Name>
      </span>
      {isNamedByAddress(party) ? null : <span className="block text-xs text-soft">{addressOf(party)}</span>}
    </p>
  );
}

const PlainName = ({ party }: { party: Party }) => <Name>{party.display_name}</Name>;
