import { useEffect, useRef, useState } from 'react';
import { useAuth } from '../api/auth.ts';
import type { WaybillError } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { ErrorNote } from '../ui/states.tsx';
import { codePass } from './code-pass.ts';
import { SEND_CODE } from './email-form.tsx';

const DIGITS = 6;
const RESEND_AFTER_S = 30;

interface CodeFormProps {
  email: string;
  /** The address of the kept emails, for a service without a mail server. */
  mailsAt: string | null;
  onSignedIn(): void;
  onChange(): void;
}

export function CodeForm({ email, mailsAt, onSignedIn, onChange }: CodeFormProps) {
  const [code, setCode] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const check = useAuth<{ email: string; otp: string }>('sign-in/email-otp');
  useEffect(() => field.current?.focus(), []);

  const submit = (otp: string) => {
    if (otp.length < DIGITS || check.isPending) return;
    check.mutate({ email: email.trim(), otp }, { onSuccess: onSignedIn, onError: () => field.current?.select() });
  };
  const onType = (text: string) => {
    const digits = text.replace(/\D/g, '').slice(0, DIGITS);
    setCode(digits);
    if (digits !== code) submit(digits);
  };
  const isWrong = check.error?.code === 'validation_error';
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit(code);
      }}
    >
      <p className="text-soft">
        We sent a code to <bdi className="font-medium text-ink">{email.trim()}</bdi>.{' '}
        <button type="button" onClick={onChange} className="rounded text-accent underline">
          Change
        </button>
      </p>
      <TextField
        ref={field}
        label="Code"
        hint={mailsAt === null ? 'Six digits, valid for 10 minutes.' : <MailLink at={mailsAt} />}
        inputMode="numeric"
        autoComplete="one-time-code"
        className="h-12! text-center font-mono text-xl tracking-widest"
        value={code}
        readOnly={check.isPending}
        onChange={({ target }) => onType(target.value)}
        error={isWrong && check.error ? inWords(check.error) : undefined}
      />
      {check.error && !isWrong ? <ErrorNote error={check.error} /> : null}
      <Button type="submit" look="primary" className="w-full" isBusy={check.isPending} disabled={code.length < DIGITS}>
        Sign in
      </Button>
      <SendAgain
        email={email}
        onSent={() => {
          setCode('');
          check.reset();
          field.current?.focus();
        }}
      />
    </form>
  );
}

function MailLink({ at }: { at: string }) {
  return (
    <>
      This service does not send emails. Read the code at{' '}
      <a href={at} target="_blank" rel="noopener" className="text-accent underline">
        {at}
      </a>
      .
    </>
  );
}

function SendAgain({ email, onSent }: { email: string; onSent(): void }) {
  const send = useAuth<{ email: string; pass?: string }>(SEND_CODE);
  const [waitS, setWaitS] = useState(RESEND_AFTER_S);
  useEffect(() => {
    if (waitS <= 0) return;
    const timer = setTimeout(() => setWaitS(waitS - 1), 1_000);
    return () => clearTimeout(timer);
  }, [waitS]);
  const again = () =>
    send.mutate(
      { email: email.trim(), ...codePass() },
      {
        onSuccess: () => {
          setWaitS(RESEND_AFTER_S);
          onSent();
        },
        onError: ({ retryAfterS }) => setWaitS(retryAfterS ?? 0),
      },
    );
  return (
    <>
      <Button look="quiet" className="w-full" isBusy={send.isPending} disabled={waitS > 0} onClick={again}>
        {waitS > 0 ? `Resend code in ${inMinutes(waitS)}` : 'Resend code'}
      </Button>
      {send.error ? <ErrorNote error={send.error} /> : null}
      {send.isSuccess ? (
        <p role="status" className="text-center text-sm text-soft">
          New code sent. The previous code no longer works.
        </p>
      ) : null}
    </>
  );
}

const inMinutes = (s: number): string => `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;

function inWords({ details }: WaybillError): string {
  const said = details[0]?.message ?? '';
  if (/expired/i.test(said)) return 'This code has expired. Request a new one.';
  if (/attempts/i.test(said)) return 'Too many attempts. Request a new code.';
  return 'Wrong code. Check the latest email, or request a new code.';
}
