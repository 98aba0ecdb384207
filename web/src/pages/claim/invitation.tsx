import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useSignOut } from '../../api/auth.ts';
import type { ResponseOf, WaybillError } from '../../api/client.ts';
import { keyOf, useAction, useReading } from '../../api/queries.ts';
import type { Account } from '../../api/schema.ts';
import { Plain } from '../../frame/plain.tsx';
import { SignInOptions } from '../../parts/sign-in-options.tsx';
import { SignedInAs } from '../../parts/signed-in-as.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/parts.tsx';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { useJoinBusiness } from './join-business.ts';

type Invitation = ResponseOf<'GET /v1/account/invitations/{token}'>;

const AS_ROLE = {
  owner: 'as an owner. Owners can do everything, and add other owners',
  admin: 'as an admin. Admins can send, invite others, create keys and change settings',
  member: 'as a member. Members can read, send and set up webhooks',
};

export function InvitationPage() {
  const { token } = useParams({ from: '/invitations/$token' });
  const session = useReading('GET /v1/account', {});
  // While the account is loaded again, a signed-out visitor stays signed out.
  const account = session.data ?? (session.errorUpdateCount > 0 ? null : undefined);
  const invitation = useReading('GET /v1/account/invitations/{token}', { path: { token } });
  if (invitation.error) return <NoInvitation error={invitation.error} onRetry={() => void invitation.refetch()} />;
  if (!invitation.data || account === undefined)
    return (
      <Plain title="Invitation">
        <Loading rows={2} />
      </Plain>
    );
  return (
    <Plain title={`Join ${invitation.data.business.display_name}`}>
      <p className="text-soft">
        <Name className="font-medium text-ink">{invitation.data.invited_by}</Name> invites you to join{' '}
        <Name className="font-medium text-ink">{invitation.data.business.display_name}</Name> (@
        {invitation.data.business.handle}) {AS_ROLE[invitation.data.role]}. The invitation expires{' '}
        <Time at={invitation.data.expires_at} isLong />.
      </p>
      {account === null ? (
        <SignInFirst token={token} email={invitation.data.email} />
      ) : account.email === invitation.data.email ? (
        <Accept token={token} />
      ) : (
        <OtherAccount token={token} invitation={invitation.data} account={account} />
      )}
      {account === null ? null : <SignedInAs />}
    </Plain>
  );
}

function SignInFirst({ token, email }: { token: string; email: string }) {
  const queries = useQueryClient();
  const { error } = useSearch({ strict: false });
  const here = `/invitations/${token}`;
  return (
    <section aria-labelledby="sign-in" className="mt-8">
      <h2 id="sign-in" className="mb-3 text-lg font-semibold">
        Sign in to accept
      </h2>
      <SignInOptions
        email={email}
        backTo={{ signedIn: here, failed: here }}
        error={error}
        onSignedIn={() => void queries.resetQueries({ queryKey: keyOf('GET /v1/account', {}) })}
      />
    </section>
  );
}

function Accept({ token }: { token: string }) {
  const navigate = useNavigate();
  const joinBusiness = useJoinBusiness();
  const accept = useAction('POST /v1/account/invitations/{token}');
  const onAccept = () =>
    accept.mutate(
      { path: { token } },
      {
        onSuccess: async ({ handle }) => {
          await joinBusiness(handle);
          await navigate({ to: '/inbox' });
        },
      },
    );
  return (
    <>
      {accept.error ? <ErrorNote error={accept.error} /> : null}
      <Button look="primary" className="mt-6 w-full" isBusy={accept.isPending || accept.isSuccess} onClick={onAccept}>
        Accept invitation
      </Button>
    </>
  );
}

function OtherAccount({ token, invitation, account }: { token: string; invitation: Invitation; account: Account }) {
  const { signOut, isBusy, error } = useSignOut(`/invitations/${token}`);
  return (
    <div className="mt-6 rounded-lg bg-warn-tint px-4 py-3">
      <p className="font-medium text-warn">This invitation is for another email address</p>
      <p className="mt-1 mb-3 text-soft">
        It was sent to <Name className="text-ink">{invitation.email}</Name>, but you are signed in as{' '}
        <Name className="text-ink">{account.email ?? account.name}</Name>. Sign in with a code sent to the invited address.
      </p>
      {error ? <ErrorNote error={error} /> : null}
      <Button isBusy={isBusy} onClick={signOut}>
        Switch account
      </Button>
    </div>
  );
}

function NoInvitation({ error, onRetry }: { error: WaybillError; onRetry(): void }) {
  if (error.code !== 'not_found')
    return (
      <Plain title="Invitation">
        <ErrorNote error={error} onRetry={onRetry} />
      </Plain>
    );
  return (
    <Plain title="Invitation not valid">
      <p className="mb-6 text-soft">
        It was accepted, withdrawn or replaced, it expired, or its sender can no longer invite people. Ask for a new invitation.
      </p>
      <ButtonLink to="/inbox">Go to inbox</ButtonLink>
      <SignedInAs />
    </Plain>
  );
}
