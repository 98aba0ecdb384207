import { useSignOut } from '../api/auth.ts';
import { useReading } from '../api/queries.ts';
import { Name } from '../ui/name.tsx';
import { ErrorNote } from '../ui/states.tsx';

export function SignedInAs() {
  const { data: account } = useReading('GET /v1/account', {});
  const { signOut, isBusy, error } = useSignOut();
  if (!account) return null;
  return (
    <>
      <p className="mt-10 border-t border-line pt-4 text-sm text-soft">
        Signed in as <Name>{account.email ?? account.name}</Name>.{' '}
        <button type="button" disabled={isBusy} onClick={signOut} className="rounded text-accent underline">
          Sign out
        </button>
      </p>
      {error ? <ErrorNote error={error} /> : null}
    </>
  );
}
