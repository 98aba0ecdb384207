import { useAuth } from '../api/auth.ts';
import { ADDRESS_MAX_CHARS } from '../api/limits.ts';
import { TextField } from '../ui/field.tsx';
import { useFirstFocus } from '../ui/focus.ts';
import { Form, SubmitButton } from '../ui/form.tsx';
import { useForm } from '../ui/use-form.ts';
import { codePass } from './code-pass.ts';

export const SEND_CODE = 'email-otp/send-verification-otp';

interface EmailFormProps {
  email: string;
  isFirst: boolean;
  onSent(email: string): void;
}

export function EmailForm({ email, isFirst, onSent }: EmailFormProps) {
  const field = useFirstFocus(isFirst);
  const send = useAuth<{ email: string; pass?: string }>(SEND_CODE);
  const form = useForm({
    initial: { email },
    submit: async (fields) => {
      const typed = fields.email.trim();
      await send.mutateAsync({ email: typed, ...codePass() });
      onSent(typed);
    },
  });
  return (
    <Form form={form} className="space-y-3">
      <TextField
        ref={field}
        label="Email"
        type="email"
        name="email"
        autoComplete="username"
        placeholder="you@company.com"
        required
        maxLength={ADDRESS_MAX_CHARS}
        {...form.field('email')}
      />
      <SubmitButton form={form} className="w-full">
        Sign in with a one-time code
      </SubmitButton>
    </Form>
  );
}
