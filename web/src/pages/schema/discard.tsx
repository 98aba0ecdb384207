import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { Confirm } from '../../ui/dialog.tsx';

/** Asks before unsaved changes are lost, by Cancel or by leaving the page. */
export function useDiscard(isChanged: boolean, onDiscard: () => void) {
  const [isAsked, setAsked] = useState(false);
  const blocker = useBlocker({ shouldBlockFn: () => isChanged, enableBeforeUnload: () => isChanged, withResolver: true });
  const leave = () => (blocker.status === 'blocked' ? blocker.proceed() : onDiscard());
  const stay = () => {
    setAsked(false);
    if (blocker.status === 'blocked') blocker.reset();
  };
  return {
    close: () => (isChanged ? setAsked(true) : onDiscard()),
    dialog:
      isAsked || blocker.status === 'blocked' ? (
        <Confirm title="Discard your changes?" action="Discard changes" run={leave} onClose={stay}>
          <p>Your changes are not saved. The current schema stays.</p>
        </Confirm>
      ) : null,
  };
}
