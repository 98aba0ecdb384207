import { useMutation } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useAuth } from '../api/auth.ts';
import type { WaybillError } from '../api/client.ts';
import { canUsePasskeys, signInWithPasskey } from '../api/passkeys.ts';
import { useReading } from '../api/queries.ts';
import type { SignIn } from '../api/schema.ts';
import { Button } from '../ui/button.tsx';
import { Name } from '../ui/name.tsx';
import { ErrorNote, States } from '../ui/states.tsx';
import { CodeForm } from './code-form.tsx';
import { EmailForm } from './email-form.tsx';
import { providerError } from './provider-errors.ts';

interface SignInProps {
  backTo: { signedIn: string; failed: string };
  email?: string;
  error: string | undefined;
  isFirst?: boolean;
  onSignedIn(): void;
}

export function SignInOptions(props: SignInProps) {
  const ways = useReading('GET /v1/sign-in', {});
  return (
    <States of={ways} rows={2}>
      {(data) => <Options ways={data} {...props} />}
    </States>
  );
}

function Options({ ways, backTo, email: given = '', error, isFirst = false, onSignedIn }: SignInProps & { ways: SignIn }) {
  const [email, setEmail] = useState(given);
  const [isSent, setSent] = useState(false);
  const begin = useAuth<{ provider: string; callbackURL: string; errorCallbackURL: string }, { url: string }>('sign-in/social');
  const passkey = useMutation<void, WaybillError>({ mutationFn: signInWithPasskey, onSuccess: onSignedIn });
  if (isSent) return <CodeForm email={email} mailsAt={ways.mails_at} onSignedIn={onSignedIn} onChange={() => setSent(false)} />;

  const providers = [
    ['google', ways.google && 'Google'],
    ['microsoft', ways.microsoft && 'Microsoft'],
    ['oidc', ways.oidc?.name],
  ].filter((one): one is [string, string] => typeof one[1] === 'string');
  const hasPasskeys = ways.passkey && canUsePasskeys();
  const failure = begin.error ?? passkey.error;
  const go = (provider: string) =>
    begin.mutate(
      { provider, callbackURL: backTo.signedIn, errorCallbackURL: backTo.failed },
      { onSuccess: ({ url }) => location.assign(url) },
    );
  return (
    <>
      {error !== undefined ? (
        <p role="alert" className="mb-4 rounded-lg bg-bad-tint px-4 py-3 text-sm text-bad">
          {providerError(error)}
        </p>
      ) : null}
      <EmailForm
        email={email}
        isFirst={isFirst}
        onSent={(sentTo) => {
          setEmail(sentTo);
          setSent(true);
        }}
      />
      {providers.length > 0 || hasPasskeys ? (
        <div className="mt-5 space-y-2.5">
          <div className="mb-5 flex items-center gap-3 text-sm text-soft before:h-px before:grow before:bg-line after:h-px after:grow after:bg-line">
            or
          </div>
          {providers.map(([id, name]) => (
            <Button
              key={id}
              className="w-full"
              isBusy={(begin.isPending || begin.isSuccess) && begin.variables?.provider === id}
              onClick={() => go(id)}
            >
              <span className="max-w-64 truncate">
                Continue with <Name>{name}</Name>
              </span>
            </Button>
          ))}
          {hasPasskeys ? (
            <Button
              className="w-full"
              icon={<KeyRound className="size-4" aria-hidden />}
              isBusy={passkey.isPending}
              onClick={() => passkey.mutate()}
            >
              Sign in with a passkey
            </Button>
          ) : null}
          {failure ? <ErrorNote error={failure} /> : null}
        </div>
      ) : null}
    </>
  );
}
