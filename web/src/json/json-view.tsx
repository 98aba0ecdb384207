import { ChevronDown, ChevronsDownUp, ChevronsUpDown, ChevronUp, CodeXml, Download } from 'lucide-react';
import { lazy, Suspense, use, useMemo } from 'react';
import { retried } from '../api/lazy.ts';
import type { Validation } from '../api/schema.ts';
import { IconButton } from '../ui/button.tsx';
import { copyText } from '../ui/copy-text.ts';
import { number } from '../ui/format.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { visible } from '../ui/name.tsx';
import { CopyButton } from '../ui/parts.tsx';
import { useIsPrinting } from '../ui/printing.ts';
import { saveFile } from '../ui/save-file.ts';
import { Loading } from '../ui/states.tsx';
import { say } from '../ui/toast.tsx';
import type { Language, SentAs } from './copy-as.ts';
import { CurrentNode } from './current-node.tsx';
import { formatted } from './formatted.ts';
import { JsonRows } from './json-rows.tsx';
import { JsonFault, parseJson } from './parse.ts';
import { MATCHES_MAX } from './rows.ts';
import type { JsonTree } from './tree.ts';
import { useJsonTree } from './use-json-tree.ts';
import { Verdict } from './verdict.tsx';

const SchemaErrors = lazy(retried(async () => ({ default: (await import('./schema-errors.tsx')).SchemaErrors })));
const loadPrograms = retried(() => import('./copy-as.ts'));

interface JsonViewProps {
  text: string;
  name: string;
  validation?: Validation;
  sentAs?: SentAs | undefined;
}

/** A tree view of JSON. Nothing is rounded, reordered or left out. */
export function JsonView({ text, ...rest }: JsonViewProps) {
  const tree = useMemo(() => parseJson(text), [text]);
  // Delivered JSON always parses, but a text that does not is still shown.
  if (tree instanceof JsonFault) return <pre className="max-h-96 overflow-auto font-mono text-sm">{text}</pre>;
  return (
    <Suspense fallback={<Loading rows={3} label="Loading JSON" />}>
      <Tree tree={tree} {...rest} />
    </Suspense>
  );
}

const OVERVIEW_FROM = 8;
const loadOverview = retried(() => import('./overview.tsx'));
let loading: ReturnType<typeof loadOverview> | undefined;

/** Loads the facts and tables above a tree. Their code is loaded with the first document that may have them. */
function overviewOf(tree: JsonTree): ReturnType<typeof loadOverview> | undefined {
  const isList = (node: number) => tree.kind(node) === 'array' && tree.children(node) > 0 && tree.kind(node + 1) === 'object';
  if (tree.size < OVERVIEW_FROM && !Array.from({ length: tree.size }, (_, node) => node).some(isList)) return undefined;
  loading ??= loadOverview();
  return loading;
}

const SEARCHABLE_FROM = 10;

function Tree({ tree, name, validation, sentAs }: { tree: JsonTree } & Omit<JsonViewProps, 'text'>) {
  const errors = useMemo(() => {
    const byNode = new Map<number, string[]>();
    for (const { path, message } of validation?.errors ?? []) {
      const node = tree.find(path);
      byNode.set(node, [...(byNode.get(node) ?? []), message]);
    }
    return byNode;
  }, [tree, validation]);
  const loadingOverview = overviewOf(tree);
  const overview = loadingOverview && use(loadingOverview);
  const facts = useMemo(() => overview?.factsOf(tree) ?? [], [overview, tree]);
  const tables = useMemo(() => overview?.tablesOf(tree) ?? [], [overview, tree]);
  const state = useJsonTree(
    tree,
    errors.keys(),
    tables.map(({ node }) => node),
  );
  const isPrinting = useIsPrinting();
  return (
    <figure aria-label="JSON" className="@container rounded-xl border border-line">
      <div className="flex min-h-11 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line py-1 pr-1.5 pl-3 @min-[38rem]:flex-nowrap">
        <p className="text-sm font-medium">JSON</p>
        {validation ? <Verdict status={validation.status} /> : null}
        <div className="grow" />
        <div className="flex min-w-0 items-center gap-x-2 max-sm:order-last max-sm:basis-full print:hidden">
          {tree.size >= SEARCHABLE_FROM ? <Search state={state} /> : null}
          {tree.size > 1 ? (
            <div className="flex shrink-0">
              <IconButton label="Expand all" onClick={state.openAll}>
                <ChevronsUpDown className="size-4" aria-hidden />
              </IconButton>
              <IconButton label="Collapse all" onClick={state.closeAll}>
                <ChevronsDownUp className="size-4" aria-hidden />
              </IconButton>
            </div>
          ) : null}
        </div>
        <div className="flex shrink-0 print:hidden">
          {sentAs ? <CopyAs json={tree.text} sentAs={sentAs} /> : null}
          <CopyButton text={tree.text} label="Copy JSON" isIcon />
          <IconButton label="Download JSON" onClick={() => saveFile(new Blob([tree.text], { type: 'application/json' }), `${name}.json`)}>
            <Download className="size-4" aria-hidden />
          </IconButton>
        </div>
      </div>
      {validation?.status === 'failed' ? <SchemaErrors errors={validation.errors} onGo={(path) => state.reveal(tree.find(path))} /> : null}
      {overview && facts.length > 0 ? <overview.FactList facts={facts} onGo={state.reveal} /> : null}
      {overview ? tables.map((table) => <overview.TableView key={table.node} tree={tree} table={table} />) : null}
      {isPrinting ? (
        <Printed text={tree.text} />
      ) : (
        <>
          <JsonRows tree={tree} state={state} errors={errors} />
          <CurrentNode tree={tree} node={state.current} />
        </>
      )}
    </figure>
  );
}

const PRINTED_CHARS = 100_000;

/** The whole text for paper, because the tree renders only visible rows. */
function Printed({ text }: { text: string }) {
  return (
    <>
      <pre className="px-4 py-3 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
        {formatted(text.slice(0, PRINTED_CHARS)).replace(/[^\n]+/g, visible)}
      </pre>
      {text.length > PRINTED_CHARS ? (
        <p className="px-4 pb-3 text-sm">
          The first {number(PRINTED_CHARS)} of {number(text.length)} characters.
        </p>
      ) : null}
    </>
  );
}

function Search({ state: { words, found, current, setWords, go } }: { state: ReturnType<typeof useJsonTree> }) {
  const at = found.indexOf(current);
  const count = `${at < 0 ? '' : `${number(at + 1)} of `}${found.length >= MATCHES_MAX ? `${number(MATCHES_MAX)}+` : number(found.length)}`;
  return (
    <search className="flex min-w-0 items-center max-sm:grow">
      <div className="relative min-w-0 max-sm:grow">
        <input
          type="text"
          aria-label="Search JSON"
          placeholder="Search"
          value={words}
          onChange={({ target }) => setWords(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
            else if (event.key === 'Escape') setWords('');
          }}
          className={`h-8 w-full min-w-24 rounded-lg border border-edge bg-paper pl-2.5 text-sm sm:w-44 ${words === '' ? '' : 'pr-16'}`}
        />
        <span
          role="status"
          className="pointer-events-none absolute inset-y-0 right-2.5 grid place-items-center text-xs text-soft tabular-nums"
        >
          {words === '' ? '' : count}
        </span>
      </div>
      {words === '' ? null : (
        <>
          <IconButton label="Previous match" disabled={found.length === 0} onClick={() => go(-1)}>
            <ChevronUp className="size-4" aria-hidden />
          </IconButton>
          <IconButton label="Next match" disabled={found.length === 0} onClick={() => go(1)}>
            <ChevronDown className="size-4" aria-hidden />
          </IconButton>
        </>
      )}
    </search>
  );
}

const LANGUAGES: readonly Language[] = ['curl', 'TypeScript', 'Python'];

function CopyAs({ json, sentAs }: { json: string; sentAs: SentAs }) {
  const copy = async (language: Language) => {
    const { programFor } = await loadPrograms();
    await copyText(programFor(language, json, sentAs, location.origin));
    say(`Copied as ${language}`);
  };
  return (
    <Menu
      name="Copy as a program"
      isLeftward
      className="grid size-8 place-items-center rounded-lg text-soft hover:bg-hover hover:text-ink"
      label={<CodeXml className="size-4" aria-hidden />}
    >
      {LANGUAGES.map((language) => (
        <MenuItem key={language} onSelect={() => void copy(language)}>
          Copy as {language}
        </MenuItem>
      ))}
    </Menu>
  );
}
