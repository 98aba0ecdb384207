import { count } from '../ui/format.ts';
import { Name } from '../ui/name.tsx';
import { Entries, Remarks, Shown } from './entries.tsx';
import type { Part, PartyPart } from './sheet.ts';
import { TableView } from './table-view.tsx';

/** What no layout names: as in the document, with the words of its own names. */
export function Parts({ parts }: { parts: readonly Part[] }) {
  return (
    <div className="flex flex-col gap-4">
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a document never changes
        <PartView key={at} part={part} />
      ))}
    </div>
  );
}

function PartView({ part }: { part: Part }) {
  switch (part.kind) {
    case 'entries':
      return <Entries entries={part.entries} />;
    case 'table':
      return <TableView table={part.table} isSmall={part.table.columns.length < 4} />;
    case 'party':
      return <Party party={part.party} />;
    case 'more':
      return <p className="text-sm text-soft">{count(part.count, 'more value')}: see the JSON.</p>;
    default:
      return (
        <div>
          <p className="mb-1.5 text-sm font-medium wrap-anywhere">
            <Name>{part.label}</Name>
            <Remarks node={part.node} />
          </p>
          <div className="border-l-2 border-line pl-4">
            <Parts parts={part.parts} />
          </div>
        </div>
      );
  }
}

/** A business or a place, as on a letter. */
export function Party({ party: { node, label, name, lines, entries, rest } }: { party: PartyPart }) {
  return (
    <div className="min-w-0 wrap-anywhere">
      <p className="mb-0.5 text-xs text-soft">
        <Name>{label}</Name>
        <Remarks node={node} />
      </p>
      {name === undefined ? null : (
        <p className="font-medium">
          <Name>{name}</Name>
        </p>
      )}
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a document never changes
        <p key={at}>
          <Name>{line}</Name>
        </p>
      ))}
      {entries.length > 0 ? (
        <dl className="mt-1.5 space-y-0.5 text-sm text-soft">
          {entries.map((entry) => (
            <div key={entry.node}>
              <dt className="inline">
                <Name>{entry.label}</Name>{' '}
              </dt>
              <dd className="inline text-ink">
                <Shown entry={entry} />
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {rest.length > 0 ? (
        <div className="mt-2">
          <Parts parts={rest} />
        </div>
      ) : null}
    </div>
  );
}
