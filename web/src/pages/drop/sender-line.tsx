import { useQueryClient } from '@tanstack/react-query';
import { useAuth } from '../../api/auth.ts';
import type { Account, Party } from '../../api/schema.ts';
import { Name } from '../../ui/name.tsx';
import { PartyName } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { switchPerson } from './switch-person.ts';

/** The sender of the message, and how to change it. sender: null if nothing can be sent. */
export function SenderLine({ account, sender }: { account: Account; sender: Party | null }) {
  const queries = useQueryClient();
  const signOut = useAuth('sign-out');
  const known = account.email ?? account.name;
  return (
    <div className="mt-4 text-sm text-soft">
      <p>
        {sender === null || (sender.kind === 'mailbox' && sender.email === known) ? (
          <>
            {sender === null ? 'Signed in as' : 'Sending as'} <Name className="text-ink">{known}</Name>.
          </>
        ) : (
          <>
            Sending as <Name className="text-ink">{known}</Name> for <SenderName party={sender} />.
          </>
        )}{' '}
        Not you?{' '}
        <button
          type="button"
          disabled={signOut.isPending}
          onClick={() => signOut.mutate(undefined, { onSuccess: () => switchPerson(queries) })}
          className="rounded text-accent underline"
        >
          Sign out
        </button>
      </p>
      {signOut.error ? <ErrorNote error={signOut.error} /> : null}
    </div>
  );
}

/** An organisation without a handle has its domain as display name. */
function SenderName({ party }: { party: Party }) {
  if (party.kind === 'handle') return <PartyName party={party} />;
  return <Name className="text-ink">{party.display_name}</Name>;
}
