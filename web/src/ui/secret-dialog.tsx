import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { Copyable } from './parts.tsx';

interface SecretDialogProps {
  title: string;
  secret: string;
  label: string;
  children?: ReactNode;
  onClose(): void;
}

/** Shows a secret once. The dialog closes only by its button, not by accident. */
export function SecretDialog({ title, secret, label, children, onClose }: SecretDialogProps) {
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    // Browsers close a dialog on the second Escape, even if the cancel event is prevented.
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      setAsked(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <Dialog title={title} onClose={() => setAsked(true)}>
      <p className="mb-3 text-soft">Copy the {label} now and store it in a safe place. It is shown only once.</p>
      <Copyable text={secret} label={label} />
      {children}
      <p role="status" className="mt-4 flex items-center gap-2 rounded-lg bg-warn-tint px-4 py-3 text-sm text-warn empty:hidden">
        {isAsked ? (
          <>
            <TriangleAlert className="size-4 shrink-0" aria-hidden />
            You can’t see the {label} again after closing. Have you saved it?
          </>
        ) : null}
      </p>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          I saved it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
