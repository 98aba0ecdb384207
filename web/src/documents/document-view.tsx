import { lazy, Suspense, useMemo } from 'react';
import { retried } from '../api/lazy.ts';
import type { Envelope } from '../api/schema.ts';
import { JsonFault, parseJson } from '../json/parse.ts';
import { useIsPrinting } from '../ui/printing.ts';
import { Loading } from '../ui/states.tsx';
import { isPlain, PlainDocument } from './plain-document.tsx';

const DocumentSheet = lazy(retried(async () => ({ default: (await import('./document-sheet.tsx')).DocumentSheet })));

interface DocumentViewProps {
  text: string;
  message: Pick<Envelope, 'type' | 'from' | 'validation'>;
}

const NONE: Envelope['validation']['errors'] = [];
const NO_REMARKS = new Map<number, never>();

/** JSON as people read it. Whatever it is, it is shown, and nothing of it is changed. */
export function DocumentView({ text, message }: DocumentViewProps) {
  const errors = message.validation?.errors ?? NONE;
  const tree = useMemo(() => parseJson(text), [text]);
  const isPrinting = useIsPrinting();
  // Delivered JSON always parses, but a text that does not is still shown.
  if (tree instanceof JsonFault) return <pre className="max-h-96 overflow-auto font-mono text-sm">{text}</pre>;
  // Somebody may have described a type.
  if (message.type === null && errors.length === 0 && isPlain(tree)) return <PlainDocument tree={tree} remarks={NO_REMARKS} />;
  return (
    <Suspense fallback={<Loading rows={4} label="Loading document" />}>
      <DocumentSheet tree={tree} message={message} errors={errors} isPrinting={isPrinting} />
    </Suspense>
  );
}
