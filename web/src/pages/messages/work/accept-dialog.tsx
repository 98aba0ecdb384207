import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleX } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { useActiveBusiness } from '../../../api/business.ts';
import { WaybillError } from '../../../api/client.ts';
import { forget } from '../../../api/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { count, number } from '../../../ui/format.ts';
import { Name } from '../../../ui/name.tsx';
import { PartyName } from '../../../ui/parts.tsx';
import { ACKNOWLEDGEMENTS } from '../acknowledgement-operations.ts';
import { nounOf } from '../document-choices.ts';
import { ACCEPTED_MAX, type Acceptable, accept, acceptableIn, forEach } from './acceptance.ts';
import { readAgain } from './thread-cache.ts';

interface AcceptDialogProps {
  ids: readonly string[];
  onClose(): void;
}

/** What became of a document: done, or an error in words. */
type Results = ReadonlyMap<string, 'done' | { error: string }>;

/** Accepts or confirms the newest documents of several threads, after saying which and of whom. */
export function AcceptDialog({ ids, onClose }: AcceptDialogProps) {
  const { found, looked, lost } = useAcceptable(ids);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const { results, isSending, send, stop } = useSending();
  const chosen = (found ?? []).filter(({ threadId }) => !left.has(threadId));
  const waiting = chosen.filter(({ threadId }) => results.get(threadId) !== 'done');
  const isBegun = isSending || results.size > 0;
  // What is sent by then is shown before the dialog goes.
  const close = isSending ? stop : onClose;
  const toggle = (id: string) => setLeft(left.has(id) ? new Set([...left].filter((one) => one !== id)) : new Set([...left, id]));
  const total = Math.min(ids.length, ACCEPTED_MAX);
  return (
    <Dialog title="Accept documents" onClose={close}>
      <div role="status" className="space-y-1 text-soft">
        {found === undefined ? (
          <p>
            Looking at thread {number(looked)} of {number(total)}…
          </p>
        ) : isBegun ? (
          <Progress all={chosen} results={results} isSending={isSending} />
        ) : (
          <p>
            {found.length === 0
              ? `Nothing in ${total === 1 ? 'this thread' : `these ${number(total)} threads`} can be accepted or confirmed without input.`
              : `${number(found.length)} of ${count(total, 'thread')} can be accepted or confirmed without input. The senders see it at once.`}
          </p>
        )}
        {lost > 0 ? <p className="text-bad">{count(lost, 'thread')} couldn’t be loaded.</p> : null}
        {ids.length > total ? <p>Only the first {number(total)} selected threads are looked at.</p> : null}
      </div>
      {found && found.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard
        <ul aria-label="Documents" tabIndex={0} className="mt-4 max-h-[45vh] divide-y divide-line overflow-y-auto">
          {found.map((one) => (
            <Row
              key={one.threadId}
              acceptable={one}
              result={results.get(one.threadId)}
              isChosen={!left.has(one.threadId)}
              onToggle={isBegun ? undefined : () => toggle(one.threadId)}
            />
          ))}
        </ul>
      ) : null}
      <DialogActions>
        <Button onClick={close}>{isSending ? 'Stop' : isBegun || found?.length === 0 ? 'Close' : 'Cancel'}</Button>
        {found?.length === 0 || (isBegun && waiting.length === 0) ? null : (
          <Button
            look="primary"
            isBusy={isSending}
            disabled={found === undefined || chosen.length === 0}
            onClick={() => void send(waiting)}
          >
            {isBegun && !isSending ? `Retry ${number(waiting.length)}` : nameOf(chosen)}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function nameOf(chosen: readonly Acceptable[]): string {
  const isConfirmed = chosen.length > 0 && chosen.every(({ choice }) => choice.action.id === 'confirm');
  return `${isConfirmed ? 'Confirm' : 'Accept'}${chosen.length === 0 ? '' : ` ${number(chosen.length)}`}`;
}

function Progress({ all, results, isSending }: { all: readonly Acceptable[]; results: Results; isSending: boolean }) {
  const done = all.filter(({ threadId }) => results.get(threadId) === 'done').length;
  const failed = all.filter(({ threadId }) => typeof results.get(threadId) === 'object').length;
  return (
    <>
      <p>
        {number(done)} of {number(all.length)} {isSending ? 'done…' : 'done.'}
        {failed > 0 ? ` ${number(failed)} failed.` : ''}
      </p>
      <progress aria-label="Done" max={all.length} value={done + failed} className="h-1.5 w-full accent-accent" />
    </>
  );
}

interface RowProps {
  acceptable: Acceptable;
  result: 'done' | { error: string } | undefined;
  isChosen: boolean;
  onToggle: (() => void) | undefined;
}

function Row({ acceptable: { message, choice }, result, isChosen, onToggle }: RowProps) {
  const id = useId();
  return (
    <li className={`flex items-start gap-2.5 py-2 ${isChosen ? '' : 'text-soft'}`}>
      {result === undefined ? (
        <input
          type="checkbox"
          id={id}
          checked={isChosen}
          disabled={!onToggle}
          onChange={onToggle}
          className="mt-1 size-4 shrink-0 accent-accent"
        />
      ) : result === 'done' ? (
        <CircleCheck className="mt-0.5 size-4 shrink-0 text-good" aria-label="Done" />
      ) : (
        <CircleX className="mt-0.5 size-4 shrink-0 text-bad" aria-label="Failed" />
      )}
      <label htmlFor={id} className="min-w-0 grow">
        <span className="block wrap-anywhere">
          {choice.action.label} <Name className="font-medium">{message.subject?.trim() || nounOf(message.type)}</Name>
        </span>
        <span className="block text-sm text-soft">
          <PartyName party={message.from.party} />
        </span>
        {typeof result === 'object' ? <span className="block text-sm text-bad">{result.error}</span> : null}
      </label>
    </li>
  );
}

/** Looks through the selected threads once, as they were selected. */
function useAcceptable(ids: readonly string[]) {
  const queries = useQueryClient();
  const business = useActiveBusiness() ?? '';
  const [found, setFound] = useState<Acceptable[]>();
  const [looked, setLooked] = useState(0);
  const [lost, setLost] = useState(0);
  const [all] = useState(() => ids.slice(0, ACCEPTED_MAX));
  useEffect(() => {
    const looking = new AbortController();
    const { signal } = looking;
    const byId = new Map<string, Acceptable>();
    const look = async (id: string) => {
      try {
        const one = await acceptableIn(queries, business, id, signal);
        if (one) byId.set(id, one);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof WaybillError)) throw error;
        setLost((before) => before + 1);
      }
      setLooked((before) => Math.min(before + 1, all.length));
    };
    void forEach(all, signal, look).then(() => {
      if (!signal.aborted) setFound(all.flatMap((id) => byId.get(id) ?? []));
    });
    return () => looking.abort();
  }, [queries, business, all]);
  return { found, looked, lost };
}

/** Sends one after the other failed, too. What is under way when it is stopped comes to its end. */
function useSending() {
  const queries = useQueryClient();
  const business = useActiveBusiness() ?? '';
  const [results, setResults] = useState<Results>(new Map());
  const [isSending, setSending] = useState(false);
  const texts = useMemo(() => new Map<string, string>(), []);
  const sending = useRef<AbortController>(undefined);
  const send = async (waiting: readonly Acceptable[]) => {
    const controller = new AbortController();
    sending.current = controller;
    setSending(true);
    await forEach(waiting, controller.signal, async (one) => {
      const result = await accept(queries, business, one, texts).then(
        () => 'done' as const,
        (error: unknown) => ({ error: error instanceof Error ? error.message : 'Couldn’t send it.' }),
      );
      setResults((known) => new Map([...known, [one.threadId, result]]));
    });
    setSending(false);
    void forget(queries, ACKNOWLEDGEMENTS);
    void readAgain(queries);
  };
  return { results, isSending, send, stop: () => sending.current?.abort() };
}
