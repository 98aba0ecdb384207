import { useBlocker } from '@tanstack/react-router';
import { Confirm } from './dialog.tsx';

/** Asks before leaving the page cancels uploads. */
export function LeaveGuard({ isNeeded }: { isNeeded: boolean }) {
  const blocker = useBlocker({ shouldBlockFn: () => isNeeded, enableBeforeUnload: () => isNeeded, withResolver: true });
  if (blocker.status !== 'blocked') return null;
  return (
    <Confirm title="Leave while files are uploading?" action="Leave" run={blocker.proceed} onClose={blocker.reset}>
      Unfinished uploads are cancelled. Your text is kept.
    </Confirm>
  );
}
