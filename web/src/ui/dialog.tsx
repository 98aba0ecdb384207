import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useId, useRef } from 'react';
import { Button, IconButton } from './button.tsx';
import { Title } from './name.tsx';
import { ErrorNote } from './states.tsx';
import { useTask } from './task.ts';
import { say } from './toast.tsx';

interface DialogProps {
  title: string;
  /** Called on Escape and on the close button. The dialog is open as long as it is mounted. */
  onClose(): void;
  children: ReactNode;
  isWide?: boolean;
}

const FIELDS = ['input', 'textarea', 'select', '[role="combobox"]'].map((field) => `${field}:not([disabled], [hidden])`).join(', ');

/** Shows a modal dialog while it is mounted, and then gives the focus back. */
export function useModal(ref: RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // The browser gives it back only before the dialog leaves the page, and then Chromium leaves a field without its caret.
      if (before instanceof HTMLElement && document.activeElement === document.body) before.focus();
    };
  }, [ref]);
}

/** The browser's modal dialog, which traps the focus. */
export function Dialog({ title, onClose, children, isWide = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useModal(ref);
  useEffect(() => {
    const dialog = ref.current;
    // The browser would focus the first button, which closes the dialog. Fields come first, then the buttons at the end.
    const first = dialog?.querySelector<HTMLElement>(FIELDS) ?? dialog?.querySelector<HTMLElement>('footer button, [tabindex="0"]');
    (first ?? dialog)?.focus();
  }, []);
  return (
    <dialog
      ref={ref}
      tabIndex={-1}
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
  children: ReactNode;
  /** The text of the button, such as “Revoke key”. */
  action: string;
  /** Runs the action. An error of the API is shown in the dialog; otherwise the dialog closes. */
  run(): unknown;
  done?: string;
  onClose(): void;
}

export function Confirm({ title, children, action, run, done, onClose }: ConfirmProps) {
  const task = useTask();
  const confirm = async () => {
    await run();
    if (done !== undefined) say(done);
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="text-soft">{children}</div>
      {task.error ? <ErrorNote error={task.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" isBusy={task.isBusy} onClick={() => void task.run(confirm)}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
