import { useBlocker } from '@tanstack/react-router';
import { Confirm } from './dialog.tsx';

/** Whoever leaves while files are on their way loses them. */
export function LeaveGuard({ isNeeded }: { isNeeded: boolean }) {
  const blocker = useBlocker({ shouldBlockFn: () => isNeeded, enableBeforeUnload: () => isNeeded, withResolver: true });
  if (blocker.status !== 'blocked') return null;
  return (
    <Confirm
      title="Leave while files are being uploaded?"
      action="Leave"
      isBusy={false}
      error={null}
      onConfirm={blocker.proceed}
      onClose={blocker.reset}
    >
      Uploads that are not finished end then. What you have written is kept.
    </Confirm>
  );
}
