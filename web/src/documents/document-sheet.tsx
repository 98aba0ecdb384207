import { useMemo } from 'react';
import type { Envelope, Validation } from '../api/schema.ts';
import { valuesInWords } from '../json/issues-in-words.ts';
import type { JsonTree } from '../json/tree.ts';
import { Name, visible } from '../ui/name.tsx';
import { Entries, Shown } from './entries.tsx';
import { useKnownType } from './known-types.ts';
import { Parts, Party } from './parts-view.tsx';
import { RemarkSummary } from './remark-summary.tsx';
import type { Sheet } from './sheet.ts';
import { sheetOf } from './sheet-of.ts';
import { type Remark, type Shown as ShownContext, ShownDocument } from './shown.ts';
import { TableView } from './table-view.tsx';
import { useWarnings } from './use-warnings.ts';
import { type Entry, shownText } from './values.ts';

/** The message that carries the document. */
export type DocumentMessage = Pick<Envelope, 'type' | 'from'>;

interface DocumentSheetProps {
  tree: JsonTree;
  message: DocumentMessage;
  /** What the schema of the recipient refuses, by JSON Pointer. */
  errors: Validation['errors'];
  isPrinting: boolean;
}

/** A document as a sheet of paper. */
export function DocumentSheet({ tree, message: { type, from }, errors: found, isPrinting }: DocumentSheetProps) {
  const errors = useMemo(() => found.map((error) => ({ ...error, message: `${error.message} ${valuesInWords(error)}`.trim() })), [found]);
  const known = useKnownType(type, from.party.kind === 'handle' ? from.party.handle : undefined);
  const { reader, sheet, isTyped } = useMemo(() => sheetOf(tree, type, known), [tree, type, known]);
  const warnings = useWarnings(isTyped && known && known.rules.length > 0 ? known.type : null, tree.text);
  const remarks = useMemo(() => remarksOn(tree, warnings, errors), [tree, warnings, errors]);
  const shown = useMemo(() => ({ reader, remarks, isPrinting }), [reader, remarks, isPrinting]);
  const name = [sheet.title, sheet.number && shownText(reader, sheet.number)].filter(Boolean).join(' ').slice(0, 120);
  return (
    <ShownDocument value={shown}>
      <figure
        aria-label={visible(name)}
        data-document=""
        className="@container rounded-xl border border-line bg-paper px-4 py-5 @min-[40rem]:px-8 sm:px-7 sm:py-6 print:rounded-none print:border-0 print:p-0"
      >
        <RemarkSummary warnings={warnings} errors={errors} />
        <SheetView sheet={sheet} />
      </figure>
    </ShownDocument>
  );
}

function remarksOn(
  tree: JsonTree,
  warnings: readonly { path: string; message: string }[],
  errors: readonly { path: string; message: string }[],
): ShownContext['remarks'] {
  const remarks = new Map<number, Remark[]>();
  const add = (path: string, tone: Remark['tone'], text: string) => {
    const node = tree.find(path);
    remarks.set(node, [...(remarks.get(node) ?? []), { tone, text }]);
  };
  for (const { path, message } of warnings) if (path !== '') add(path, 'warn', message);
  for (const { path, message } of errors) if (path !== '') add(path, 'bad', message);
  return remarks;
}

function SheetView({ sheet }: { sheet: Sheet }) {
  const { parties, facts, lines, tables, totals, terms, notes, rest } = sheet;
  return (
    <div className="flex flex-col gap-6">
      <Heading sheet={sheet} />
      {facts.length > 0 ? <Entries entries={facts} /> : null}
      {parties.length > 0 ? (
        <div className="grid grid-cols-1 gap-x-8 gap-y-5 @min-[28rem]:grid-cols-2 @min-[44rem]:grid-cols-3">
          {parties.map((party) => (
            <Party key={party.node} party={party} />
          ))}
        </div>
      ) : null}
      {lines ? <TableView table={lines} /> : null}
      {tables.length > 0 || totals.length > 0 ? (
        <div className="flex flex-col gap-6 @min-[44rem]:flex-row @min-[44rem]:items-start @min-[44rem]:gap-12">
          {tables.length > 0 ? (
            <div className="flex min-w-0 grow flex-col gap-5">
              {tables.map((table) => (
                <TableView key={table.node} table={table} isSmall />
              ))}
            </div>
          ) : null}
          {totals.length > 0 ? <Totals totals={totals} result={sheet.result} /> : null}
        </div>
      ) : null}
      {terms.length > 0 ? <Entries entries={terms} /> : null}
      {notes.length > 0 ? <Notes notes={notes} /> : null}
      {rest.length > 0 ? (
        <div className="border-t border-line pt-5 first:border-0 first:pt-0">
          <Parts parts={rest} />
        </div>
      ) : null}
    </div>
  );
}

function Heading({ sheet: { title, number, result, parties, lines, facts } }: { sheet: Sheet }) {
  const isDocument = number !== undefined || result !== undefined || parties.length > 0 || lines !== undefined || facts.length > 2;
  if (!isDocument) return null;
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
      <div className="min-w-0">
        <p className="text-xl font-semibold tracking-tight wrap-anywhere">
          <Name>{title}</Name>
        </p>
        {number ? (
          <p className="mt-0.5 text-soft wrap-anywhere">
            <span className="sr-only">
              <Name>{number.label}</Name>{' '}
            </span>
            <Shown entry={number} />
          </p>
        ) : null}
      </div>
      {result ? (
        <p className="text-right max-sm:text-left">
          <span className="block text-xs text-soft">
            <Name>{result.label}</Name>
          </span>
          <span className="text-xl font-semibold tracking-tight tabular-nums wrap-anywhere">
            <Amount entry={result} />
          </span>
        </p>
      ) : null}
    </div>
  );
}

/** The amount that stands below the lines once more, where its remarks are. */
function Amount({ entry }: { entry: Entry }) {
  return <ShownDocument.Consumer>{(shown) => (shown ? <Name>{shownText(shown.reader, entry)}</Name> : null)}</ShownDocument.Consumer>;
}

function Totals({ totals, result }: { totals: readonly Entry[]; result: Entry | undefined }) {
  return (
    <dl aria-label="Totals" className="ml-auto w-full text-sm @min-[30rem]:w-80 @min-[30rem]:shrink-0">
      {totals.map((entry) => (
        <div
          key={entry.node}
          className={`flex items-baseline justify-between gap-6 py-1.5 ${entry === result ? 'mt-1 border-t border-edge pt-2.5 text-base font-semibold' : ''}`}
        >
          <dt className={`max-w-1/2 shrink-0 wrap-anywhere ${entry === result ? '' : 'text-soft'}`}>
            <Name>{entry.label}</Name>
          </dt>
          <dd className="min-w-0 text-right tabular-nums wrap-anywhere">
            <Shown entry={entry} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Notes({ notes }: { notes: readonly Entry[] }) {
  return (
    <dl className="flex max-w-prose flex-col gap-3">
      {notes.map((entry) => (
        <div key={entry.node}>
          <dt className="text-xs text-soft">
            <Name>{entry.label}</Name>
          </dt>
          <dd className="wrap-anywhere whitespace-pre-wrap">
            <Shown entry={entry} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
