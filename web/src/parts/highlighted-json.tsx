import { type ReactNode, useMemo } from 'react';
import { JsonFault, parseJson } from '../json/parse.ts';
import type { JsonTree, Kind } from '../json/tree.ts';

const COLOURS: Record<Kind, string> = { object: '', array: '', string: 'text-good', number: 'text-accent', word: 'text-warn' };
/** Later nodes have no colours, to keep long schemas fast. */
const COLOURED_MAX = 5_000;

export function HighlightedJson({ text, label }: { text: string; label: string }) {
  const parts = useMemo(() => {
    const read = parseJson(text);
    return read instanceof JsonFault ? text : coloured(read);
  }, [text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards can scroll it only with the focus
    <section aria-label={label} tabIndex={0} className="max-h-[65vh] overflow-auto rounded-xl border border-line">
      <pre className="w-max min-w-full px-4 py-3 font-mono text-sm text-soft">{parts}</pre>
    </section>
  );
}

function coloured(tree: JsonTree): ReactNode[] {
  const parts: ReactNode[] = [];
  let done = 0;
  const add = ([start, end]: readonly [number, number], className: string) => {
    parts.push(tree.text.slice(done, start));
    parts.push(
      <span key={start} className={className}>
        {tree.text.slice(start, end)}
      </span>,
    );
    done = end;
  };
  for (let node = 0; node < Math.min(tree.size, COLOURED_MAX); node++) {
    const key = tree.keySpan(node);
    if (key) add(key, 'font-medium text-ink');
    if (!tree.isContainer(node)) add(tree.span(node), COLOURS[tree.kind(node)]);
  }
  return [...parts, tree.text.slice(done)];
}
