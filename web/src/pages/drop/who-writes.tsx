import { useQueryClient } from '@tanstack/react-query';
import { useAuth } from '../../api/auth.ts';
import type { Account, Party } from '../../api/schema.ts';
import { Name } from '../../ui/name.tsx';
import { PartyName } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { asSomebodyElse } from './somebody-else.ts';

/** As whom somebody writes, and the way to be somebody else. sender: null where nothing can be written. */
export function WhoWrites({ account, sender }: { account: Account; sender: Party | null }) {
  const queries = useQueryClient();
  const signOut = useAuth('sign-out');
  const known = account.email ?? account.name;
  return (
    <div className="mt-4 text-sm text-soft">
      <p>
        {sender === null || (sender.kind === 'mailbox' && sender.email === known) ? (
          <>
            {sender === null ? 'Signed in as' : 'You write as'} <Name className="text-ink">{known}</Name>.
          </>
        ) : (
          <>
            You write as <Name className="text-ink">{known}</Name> for <Shown party={sender} />.
          </>
        )}{' '}
        Not you?{' '}
        <button
          type="button"
          disabled={signOut.isPending}
          onClick={() => signOut.mutate(undefined, { onSuccess: () => asSomebodyElse(queries) })}
          className="rounded text-accent underline"
        >
          Sign out
        </button>
      </p>
      {signOut.error ? <ErrorNote error={signOut.error} /> : null}
    </div>
  );
}

/** Organisations that nobody has named are called by their domain already. */
function Shown({ party }: { party: Party }) {
  if (party.kind === 'handle') return <PartyName party={party} />;
  return <Name className="text-ink">{party.display_name}</Name>;
}
