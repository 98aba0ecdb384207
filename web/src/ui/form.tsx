import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { ErrorNote } from './states.tsx';
import type { Form as FormState } from './use-form.ts';

/** The part of useForm that does not depend on the fields. */
type Submittable = Pick<FormState<never>, 'isBusy' | 'error' | 'submit'>;

export function Form({ form, className = '', children }: { form: Submittable; className?: string; children: ReactNode }) {
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      {children}
      {form.error ? <ErrorNote error={form.error} /> : null}
    </form>
  );
}

export function SubmitButton({ form, className = '', children }: { form: Submittable; className?: string; children: ReactNode }) {
  return (
    <Button type="submit" look="primary" className={className} isBusy={form.isBusy}>
      {children}
    </Button>
  );
}

interface FormDialogProps {
  title: string;
  action: string;
  form: Submittable;
  /** Replaces the buttons, if Cancel and the action are not enough. */
  actions?: ReactNode;
  onClose(): void;
  children: ReactNode;
}

export function FormDialog({ title, action, form, actions, onClose, children }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm form={form} actions={actions ?? <FormActions form={form} action={action} onClose={onClose} />}>
        {children}
      </DialogForm>
    </Dialog>
  );
}

function FormActions({ form, action, onClose }: Pick<FormDialogProps, 'form' | 'action' | 'onClose'>) {
  return (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <SubmitButton form={form}>{action}</SubmitButton>
    </>
  );
}

interface DialogFormProps {
  form: Submittable;
  actions: ReactNode;
  children: ReactNode;
}

/** The fields and buttons of a dialog that shows more than a form. */
function DialogForm({ form, actions, children }: DialogFormProps) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
    >
      <div className="flex flex-col gap-4">{children}</div>
      {form.error ? <ErrorNote error={form.error} /> : null}
      <DialogActions>{actions}</DialogActions>
    </form>
  );
}
