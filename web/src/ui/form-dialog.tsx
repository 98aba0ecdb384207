import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import type { ApiError } from '../api/client.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { ErrorNote } from './states.tsx';

interface FormDialogProps {
  title: string;
  /** What the button says that does it. */
  action: string;
  isBusy: boolean;
  error: ApiError | null;
  /** JSON Pointers of the fields that say themselves what is wrong with them. */
  fields?: readonly string[];
  isWide?: boolean;
  onSubmit(): void;
  onClose(): void;
  children: ReactNode;
}

/** A few fields and a button; it begins in the first field. */
export function FormDialog({ title, action, isBusy, error, fields = [], isWide = false, onSubmit, onClose, children }: FormDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('input, textarea, select')?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBusy) onSubmit();
  };
  return (
    <Dialog title={title} onClose={onClose} isWide={isWide}>
      <form ref={form} onSubmit={submit} noValidate>
        <div className="flex flex-col gap-4">{children}</div>
        {error && !isToldAt(error, fields) ? <ErrorNote error={error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={isBusy}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function isToldAt({ details }: ApiError, fields: readonly string[]): boolean {
  return details.length > 0 && details.every(({ path }) => fields.includes(path));
}
