import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { Confirm } from '../../ui/dialog.tsx';

/** Nobody loses what they have written without being asked, wherever they go. */
export function useDiscard(isChanged: boolean, onDiscard: () => void) {
  const [isAsked, setAsked] = useState(false);
  const blocker = useBlocker({ shouldBlockFn: () => isChanged, enableBeforeUnload: () => isChanged, withResolver: true });
  const leave = () => (blocker.status === 'blocked' ? blocker.proceed() : onDiscard());
  const stay = () => {
    setAsked(false);
    if (blocker.status === 'blocked') blocker.reset();
  };
  return {
    /** Ends the editing, after asking where there is something to lose. */
    end: () => (isChanged ? setAsked(true) : onDiscard()),
    dialog:
      isAsked || blocker.status === 'blocked' ? (
        <Confirm title="Discard your changes?" action="Discard changes" isBusy={false} error={null} onConfirm={leave} onClose={stay}>
          <p>What you have written has not been saved. The schema that is set stays as it is.</p>
        </Confirm>
      ) : null,
  };
}
