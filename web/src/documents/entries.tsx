import { Name } from '../ui/name.tsx';
import { useShown } from './shown.ts';
import { type Entry, shownText } from './values.ts';

/** Values with their labels above them, beside each other where there is room. */
export function Entries({ entries }: { entries: readonly Entry[] }) {
  if (entries.length === 0) return null;
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-3 @min-[36rem]:grid-cols-3 @min-[56rem]:grid-cols-4">
      {entries.map((entry) => (
        <div key={entry.node} className="min-w-0">
          <dt className="text-xs text-soft wrap-anywhere">
            <Name>{entry.label}</Name>
          </dt>
          <dd className="wrap-anywhere whitespace-pre-wrap tabular-nums">
            <Shown entry={entry} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A value, with what is said about it below. The tooltip has the value as it was sent. */
export function Shown({ entry }: { entry: Entry }) {
  const { reader } = useShown();
  const text = shownText(reader, entry);
  const sent = reader.text(entry.node);
  return (
    <>
      <span title={sent !== undefined && sent !== text && sent.length < 200 ? sent.replaceAll(/[^\x20-\x7e]/g, '·') : undefined}>
        <Name>{text}</Name>
      </span>
      <Remarks node={entry.node} />
    </>
  );
}

export function Remarks({ node }: { node: number }) {
  const { remarks } = useShown();
  return remarks.get(node)?.map(({ tone, text }) => (
    <span key={text} className={`block text-xs font-normal whitespace-normal print:hidden ${tone === 'bad' ? 'text-bad' : 'text-warn'}`}>
      <Name>{text}</Name>
    </span>
  ));
}
