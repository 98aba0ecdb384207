import type { FormEvent } from 'react';
import { useAuth } from '../api/auth.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { ErrorNote } from '../ui/states.tsx';

export const SEND_CODE = 'email-otp/send-verification-otp';

interface EmailFormProps {
  email: string;
  onChange(email: string): void;
  onSent(): void;
}

export function EmailForm({ email, onChange, onSent }: EmailFormProps) {
  const send = useAuth<{ email: string }>(SEND_CODE);
  const wrong = send.error?.at('/email');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate({ email: email.trim() }, { onSuccess: onSent });
  };
  return (
    <form onSubmit={onSubmit} className="space-y-3">
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username"
        placeholder="you@company.com"
        required
        maxLength={320}
        value={email}
        onChange={({ target }) => onChange(target.value)}
        error={wrong && `This ${wrong}.`}
      />
      {send.error && wrong === undefined ? <ErrorNote error={send.error} /> : null}
      <Button type="submit" look="primary" className="w-full" isBusy={send.isPending}>
        Continue with a code
      </Button>
    </form>
  );
}
