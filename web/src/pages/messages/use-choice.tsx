import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useEffect, useEffectEvent, useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { retried } from '../../api/lazy.ts';
import { useAction } from '../../api/queries.ts';
import type { ActionInfo } from '../../documents/actions.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { useTask } from '../../ui/task.ts';
import { say } from '../../ui/toast.tsx';
import { ACKNOWLEDGE, ACKNOWLEDGEMENTS } from './acknowledgement-operations.ts';
import { type Choice, type Chosen, nounOf } from './document-choices.ts';
import { useDraft } from './draft.ts';
import { fullMessage, type Message } from './thread-messages.ts';

// What replies are made with is large, and most documents are only read.
const loadReply = retried(() => import('./document-reply.ts'));
const ActionDialog = lazy(retried(async () => ({ default: (await import('./action-dialog.tsx')).ActionDialog })));
const RejectDialog = lazy(retried(async () => ({ default: (await import('./reject-dialog.tsx')).RejectDialog })));

type Open = { choice: Choice } & ({ how: 'reject' } | { how: 'ask' } | { how: 'replace'; chosen: Chosen });

/** Runs a choice about a message, wherever it was made: at once, with questions first, or as a draft of a reply. */
export function useChoice(message: Message, onReply: () => void) {
  const { id } = message;
  const [started, setStarted] = useState<{ choice: Choice }>();
  const { open, setOpen, begin, start, task } = useStart(message, onReply);
  const onStarted = useEffectEvent((choice: Choice) => void start(choice));
  useEffect(() => {
    if (started) onStarted(started.choice);
  }, [started]);
  const close = () => setOpen(undefined);
  const dialogs = (
    <>
      <Suspense>
        {open?.how === 'reject' ? <RejectDialog id={id} onClose={close} /> : null}
        {open?.how === 'ask' ? (
          <ActionDialog message={message} choice={open.choice} onBegin={(chosen) => begin(open.choice, chosen)} onClose={close} />
        ) : null}
      </Suspense>
      {open?.how === 'replace' ? (
        <Confirm title="Replace your draft?" action="Replace draft" run={() => begin(open.choice, open.chosen, true)} onClose={close}>
          You have begun a reply in this thread. Its note stays; its type, subject and JSON are replaced.
        </Confirm>
      ) : null}
    </>
  );
  const run = useCallback((choice: Choice) => setStarted({ choice }), []);
  return { run, running: task.isBusy ? started?.choice : undefined, error: task.error, dialogs };
}

function useStart(message: Message, onReply: () => void) {
  const { id, thread_id } = message;
  const queries = useQueryClient();
  const business = useActiveBusiness();
  const acknowledge = useAction(ACKNOWLEDGE, { changes: [ACKNOWLEDGEMENTS] });
  const { draft, change } = useDraft(thread_id);
  const [open, setOpen] = useState<Open>();
  const task = useTask();
  const begin = async (choice: Choice, chosen: Chosen, isReplacing = false) => {
    if (!isReplacing && [draft.type, draft.subject, draft.json].some((text) => text.trim() !== '')) {
      setOpen({ how: 'replace', choice, chosen });
      return;
    }
    const { json = 'null' } = await queries.fetchQuery(fullMessage(business, message));
    const { replyOf } = await loadReply();
    const reply = replyOf(choice.action, json, message, chosen, business);
    setOpen(undefined);
    change({ ...reply, begun: `${id} ${Date.now()} ${nounOf(message.type)}`, acknowledge: choice.said ?? '' });
    // After the draft, because another one replaces the form, and with it the field that has the focus.
    onReply();
  };
  const start = (choice: Choice) =>
    task.run(async () => {
      const { action, said } = choice;
      if (action.type !== null) {
        if (asksFirst(action)) setOpen({ how: 'ask', choice });
        else await begin(choice, {});
      } else if (action.needsReason) setOpen({ how: 'reject', choice });
      else if (said !== null) {
        await acknowledge.mutateAsync({ path: { id }, body: { status: said } });
        say(said === 'processed' ? 'Processed' : 'Accepted');
      }
    });
  return { open, setOpen, begin, start, task };
}

/** Other replies begin with all lines, and the form takes those away that are not meant. */
const asksFirst = ({ needsReason, type }: ActionInfo): boolean => needsReason || type === 'credit.note';
