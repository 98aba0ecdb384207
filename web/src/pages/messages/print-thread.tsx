import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { createPortal } from 'react-dom';
import { useActiveBusiness } from '../../api/business.ts';
import { reading } from '../../api/queries.ts';
import { number } from '../../ui/format.ts';
import { Title } from '../../ui/name.tsx';
import { say } from '../../ui/toast.tsx';
import { ACKNOWLEDGEMENTS } from './acknowledgement-operations.ts';
import { PrintWhenReady } from './print-when-ready.tsx';
import { fullMessage, type Message } from './thread-messages.ts';

/** Messages before the newest of so many are printed as a line. */
const WHOLE_MAX = 200;
const LOADED_AT_ONCE = 4;

interface PrintThreadProps {
  title: string;
  /** Who it is with. */
  parties: ReactNode;
  messages: Message[];
  isComplete: boolean;
  list(isOpen: (id: string) => boolean): ReactNode;
  onDone(): void;
}

/** Prints a thread with all its messages unfolded, and nothing else of the page. */
export function PrintThread({ title, parties, messages, isComplete, list, onDone }: PrintThreadProps) {
  const whole = useMemo(() => new Set(messages.slice(-WHOLE_MAX).map(({ id }) => id)), [messages]);
  const isLoaded = useLoaded(messages, whole, isComplete);
  if (!isLoaded) return null;
  return createPortal(
    <div data-print-sheet="">
      <header className="mb-6">
        <h1 className="text-2xl font-semibold tracking-tight">
          <Title>{title}</Title>
        </h1>
        <p className="mt-1 text-soft wrap-anywhere">{parties}</p>
      </header>
      {list((id) => whole.has(id))}
      <PrintWhenReady onDone={onDone} />
    </div>,
    document.body,
  );
}

/** Whether all that is printed is there. What can't be loaded is printed as an error. */
function useLoaded(messages: Message[], whole: ReadonlySet<string>, isComplete: boolean): boolean {
  const queries = useQueryClient();
  const business = useActiveBusiness();
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    if (!isComplete || isLoaded) return;
    let isGone = false;
    if (messages.length > whole.size) say(`The newest ${number(whole.size)} messages are printed in full.`);
    const waiting = messages.filter(({ id }) => whole.has(id));
    const loadNext = async () => {
      for (let message = waiting.shift(); message && !isGone; message = waiting.shift()) {
        await queries.prefetchQuery(reading(ACKNOWLEDGEMENTS, { path: { id: message.id } }));
        if (message.json_sha256 !== null) await queries.prefetchQuery(fullMessage(business, message));
      }
    };
    void Promise.all(Array.from({ length: LOADED_AT_ONCE }, loadNext)).then(() => isGone || setLoaded(true));
    return () => {
      isGone = true;
    };
  }, [isComplete, isLoaded, messages, whole, queries, business]);
  return isLoaded;
}
