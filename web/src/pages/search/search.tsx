import { useNavigate, useSearch } from '@tanstack/react-router';
import { Search as SearchIcon } from 'lucide-react';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { SEARCH_QUERY_MAX_CHARS } from '../../api/limits.ts';
import { useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { useDebouncedCall } from '../../ui/debounce.ts';
import { VERBATIM } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { OptionList, useOptions } from '../../ui/options.tsx';
import { PageHeader } from '../../ui/parts.tsx';
import { useShortcuts } from '../../ui/shortcuts.ts';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { takeKeys } from '../../ui/type-ahead.ts';
import { OPERATORS, unknownIn } from './operator-names.ts';
import { useOperatorOptions } from './operators.tsx';
import { SearchRow } from './search-row.tsx';

const TYPING_MS = 300;
const INCOMPLETE_MS = 2_000;

export function SearchPage() {
  const { q = '' } = useSearch({ from: '/app/search' });
  return (
    <>
      <PageHeader title="Search" />
      <SearchField q={q} />
      {q.trim() === '' ? <Hints /> : <Results q={q} />}
    </>
  );
}

function SearchField({ q }: { q: string }) {
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(q);
  const [applied, setApplied] = useState(q);
  const [isOpen, setOpen] = useState(false);
  const afterTyping = useDebouncedCall(TYPING_MS);
  // A link, or going back, has changed the address.
  if (applied !== q) {
    setApplied(q);
    if (q.trim() !== typed.trim()) setTyped(q);
  }
  const search = (query: string) => void navigate({ to: '/search', search: { q: query || undefined }, replace: true });
  const change = (query: string) => {
    setTyped(query);
    setOpen(true);
    afterTyping(() => search(query));
  };
  const { field, list, isShown, reset } = useOptions(useOperatorOptions(typed, isOpen, change), { isOpen, startsAt: -1 });
  useShortcuts(useMemo(() => ({ '/': () => input.current?.focus() }), []));
  const begin = useEffectEvent(() => {
    input.current?.focus();
    const held = takeKeys('search').replaceAll('\n', ' ');
    if (held !== '') change(typed + held);
  });
  useEffect(() => {
    const timer = setTimeout(begin);
    return () => clearTimeout(timer);
  }, []);
  return (
    <search className="relative mb-6">
      <SearchIcon className="pointer-events-none absolute top-3.5 left-3.5 size-5 text-soft" aria-hidden />
      <input
        ref={input}
        {...field}
        {...VERBATIM}
        aria-label="Search"
        type="search"
        placeholder="Subjects, notes, JSON, files, names, ids, comments"
        maxLength={SEARCH_QUERY_MAX_CHARS}
        value={typed}
        onChange={({ target }) => {
          reset();
          change(target.value);
        }}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => {
          field.onKeyDown(event);
          if (event.defaultPrevented) return;
          if (event.key === 'Enter') search(typed);
          if (event.key === 'Enter' || event.key === 'Escape') setOpen(false);
        }}
        className="h-12 w-full rounded-xl border border-edge bg-paper pr-4 pl-11 text-lg"
      />
      {isShown ? (
        <div className="absolute inset-x-0 top-full z-30 mt-1 rounded-xl border border-line bg-paper shadow-xl">
          <OptionList {...list} label="Suggestions" className="max-h-80" />
        </div>
      ) : null}
    </search>
  );
}

function Hints() {
  const examples: [string, string][] = [
    ['PO-48', 'begins with PO-48: orders, lines in JSON, file names'],
    ['"steel bolts"', 'exactly these words'],
    ['from:acme has:file', 'files from @acme'],
    ['is:open assignee:me', 'what is left for you'],
  ];
  return (
    <dl className="grid gap-x-6 gap-y-2 text-soft sm:grid-cols-[max-content_1fr]">
      {examples.map(([query, what]) => (
        <div key={query} className="contents">
          <dt className="font-mono text-sm text-ink">{query}</dt>
          <dd className="max-sm:mb-2">{what}</dd>
        </div>
      ))}
    </dl>
  );
}

function Unknown({ q }: { q: string }) {
  const unknown = unknownIn(q);
  if (unknown.length === 0) return null;
  return (
    <p className="mb-4 text-warn">
      <Name>{unknown.join(' ')}</Name> Searched as plain words.
    </p>
  );
}

function NoResults({ q }: { q: string }) {
  const hasUnknown = unknownIn(q).length > 0;
  return (
    <Empty title="No results">
      <Unknown q={q} />
      {hasUnknown ? (
        <p>
          Operators: <span className="font-mono text-sm">{OPERATORS.map(([name]) => name).join(' ')}</span>
        </p>
      ) : (
        'Check the spelling, or use fewer words.'
      )}
    </Empty>
  );
}

function Results({ q }: { q: string }) {
  const { items, last, isPending, isFetchingMore, error, retry, hasMore, more } = useList('GET /v1/search', { query: { q } });
  // An empty page need not be the last one.
  const isLooking = items.length === 0 && hasMore;
  useEffect(() => {
    if (isLooking && !isFetchingMore) more();
  }, [isLooking, isFetchingMore, more]);
  const isIncomplete = last?.complete === false;
  const reload = useEffectEvent(retry);
  useEffect(() => {
    if (!isIncomplete) return;
    const timer = setInterval(() => reload(), INCOMPLETE_MS);
    return () => clearInterval(timer);
  }, [isIncomplete]);
  if (error) return <ErrorNote error={error} onRetry={retry} />;
  if (isPending || isLooking) return <Loading rows={5} label="Searching" />;
  if (items.length === 0 && !isIncomplete) return <NoResults q={q} />;
  return (
    <>
      <Unknown q={q} />
      {isIncomplete ? (
        <p role="status" className="mb-4 text-soft">
          These results are incomplete: older messages are being read for your first search. More results appear here by themselves.
        </p>
      ) : null}
      <ul aria-label="Results" className="divide-y divide-line">
        {items.map((result) => (
          <li key={`${result.message.id} ${result.comment?.id ?? ''}`}>
            <SearchRow result={result} />
          </li>
        ))}
      </ul>
      {hasMore ? (
        <Button className="mt-4" isBusy={isFetchingMore} onClick={more}>
          Show more
        </Button>
      ) : null}
    </>
  );
}
