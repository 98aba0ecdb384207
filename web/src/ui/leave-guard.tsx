import { useBlocker } from '@tanstack/react-router';
import { Confirm } from './dialog.tsx';

/** Asks before leaving the page loses files. */
export function LeaveGuard({ isNeeded, isUnfinished = isNeeded }: { isNeeded: boolean; isUnfinished?: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isNeeded && placeOf(current) !== placeOf(next),
    enableBeforeUnload: () => isNeeded,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Confirm
      title={isUnfinished ? 'Leave while files are uploading?' : 'Leave without the files?'}
      action="Leave"
      run={blocker.proceed}
      onClose={blocker.reset}
    >
      {isUnfinished ? 'Unfinished uploads are cancelled.' : 'The files are removed.'} Your text is kept.
    </Confirm>
  );
}

/** A link within the page leaves nothing. */
const placeOf = ({ pathname, search }: { pathname: string; search: object }): string => `${pathname} ${JSON.stringify(search)}`;
