import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import type { ApiError } from '../api/client.ts';
import { Button, IconButton } from './button.tsx';
import { Title } from './name.tsx';
import { ErrorNote } from './states.tsx';

interface DialogProps {
  title: string;
  /** Mounted while it is open; asked for when Escape or the cross is pressed. */
  onClose(): void;
  children: ReactNode;
  isWide?: boolean;
}

/** The browser's own: it keeps the focus, closes by Escape, and gives the focus back. */
export function Dialog({ title, onClose, children, isWide = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className={`m-auto w-[calc(100%-2rem)] rounded-xl border border-line bg-paper p-6 text-ink shadow-2xl ${isWide ? 'max-w-3xl' : 'max-w-lg'}`}
    >
      <header className="mb-4 flex items-start justify-between gap-4">
        <h2 id={titleId} className="text-lg font-semibold">
          <Title>{title}</Title>
        </h2>
        <IconButton label="Close" onClick={onClose} className="-m-1.5">
          <X className="size-4" aria-hidden />
        </IconButton>
      </header>
      {children}
    </dialog>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <footer className="mt-6 flex flex-wrap justify-end gap-2">{children}</footer>;
}

interface ConfirmProps {
  title: string;
  /** What happens then. */
  children: ReactNode;
  /** What the button says that does it, such as “Revoke key”. */
  action: string;
  isBusy: boolean;
  error: ApiError | null;
  onConfirm(): void;
  onClose(): void;
}

/** Before what can't be undone. */
export function Confirm({ title, children, action, isBusy, error, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="text-soft">{children}</div>
      {error ? <ErrorNote error={error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" isBusy={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
