import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { Copyable } from './parts.tsx';

interface SecretDialogProps {
  title: string;
  secret: string;
  /** What it is called where it is copied, such as “key”. */
  label: string;
  /** What to do with it. */
  children?: ReactNode;
  onClose(): void;
}

/** Something that is shown this once: the dialog goes when somebody says that they have kept it, not by accident. */
export function SecretDialog({ title, secret, label, children, onClose }: SecretDialogProps) {
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    // A second Escape in a row would close it whatever the page says about that.
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
      <p className="mb-3 text-soft">Copy the {label} now and keep it in a safe place. It can’t be shown again.</p>
      <Copyable text={secret} label={label} />
      {children}
      <p role="status" className="mt-4 flex items-center gap-2 rounded-lg bg-warn-tint px-4 py-3 text-sm text-warn empty:hidden">
        {isAsked ? (
          <>
            <TriangleAlert className="size-4 shrink-0" aria-hidden />
            Once this is closed, the {label} is gone. Have you kept it?
          </>
        ) : null}
      </p>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          I have kept it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
