import { useNavigate, useParams } from '@tanstack/react-router';
import { useSignOut } from '../../api/auth.ts';
import type { ApiError, ResponseOf } from '../../api/client.ts';
import { useAction, useReading } from '../../api/queries.ts';
import type { Account } from '../../api/schema.ts';
import { Plain } from '../../frame/plain.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/parts.tsx';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { useBeginAs } from './begin-as.ts';
import { SignedInAs } from './signed-in-as.tsx';

type Invitation = ResponseOf<'GET /v1/account/invitations/{token}'>;

const AS_ROLE = {
  owner: 'as an owner: you can do everything, and make others owners',
  admin: 'as an admin: you can send, invite others, make keys and change the business',
  member: 'as a member: you can read, send, and set up webhooks',
};

export function InvitationPage() {
  const { token } = useParams({ from: '/invitations/$token' });
  const { data: account } = useReading('GET /v1/account', {});
  const invitation = useReading('GET /v1/account/invitations/{token}', { path: { token } });
  if (invitation.error) return <NoInvitation error={invitation.error} onRetry={() => void invitation.refetch()} />;
  if (!invitation.data || !account)
    return (
      <Plain title="Invitation">
        <Loading rows={2} />
      </Plain>
    );
  return (
    <Plain title="You are invited">
      <p className="text-soft">
        to <Name className="font-medium text-ink">{invitation.data.business.display_name}</Name> (@{invitation.data.business.handle}),{' '}
        {AS_ROLE[invitation.data.role]}. The invitation ends <Time at={invitation.data.expires_at} />.
      </p>
      {account.email === invitation.data.email ? (
        <Accept token={token} />
      ) : (
        <OtherMailbox token={token} invitation={invitation.data} account={account} />
      )}
      <SignedInAs />
    </Plain>
  );
}

function Accept({ token }: { token: string }) {
  const navigate = useNavigate();
  const beginAs = useBeginAs();
  const accept = useAction('POST /v1/account/invitations/{token}');
  const onAccept = () =>
    accept.mutate(
      { path: { token } },
      {
        onSuccess: async ({ handle }) => {
          await beginAs(handle);
          await navigate({ to: '/inbox' });
        },
      },
    );
  return (
    <>
      {accept.error ? <ErrorNote error={accept.error} /> : null}
      <Button look="primary" className="mt-6 w-full" isBusy={accept.isPending || accept.isSuccess} onClick={onAccept}>
        Accept
      </Button>
    </>
  );
}

function OtherMailbox({ token, invitation, account }: { token: string; invitation: Invitation; account: Account }) {
  const { signOut, isBusy, error } = useSignOut(`/invitations/${token}`);
  return (
    <div className="mt-6 rounded-lg bg-warn-tint px-4 py-3">
      <p className="font-medium text-warn">This invitation is for another mailbox</p>
      <p className="mt-1 mb-3 text-soft">
        It was sent to <Name className="text-ink">{invitation.email}</Name>, and you are signed in as{' '}
        <Name className="text-ink">{account.email ?? account.name}</Name>. Sign in with a code that is sent to the first.
      </p>
      {error ? <ErrorNote error={error} /> : null}
      <Button isBusy={isBusy} onClick={signOut}>
        Sign in with that mailbox
      </Button>
    </div>
  );
}

function NoInvitation({ error, onRetry }: { error: ApiError; onRetry(): void }) {
  if (error.code !== 'not_found')
    return (
      <Plain title="Invitation">
        <ErrorNote error={error} onRetry={onRetry} />
      </Plain>
    );
  return (
    <Plain title="This invitation is over">
      <p className="mb-6 text-soft">
        It was accepted, withdrawn or replaced by a newer one, has expired, or the person who sent it can no longer invite people. Ask the
        business for a new one.
      </p>
      <ButtonLink to="/inbox">Go to your inbox</ButtonLink>
      <SignedInAs />
    </Plain>
  );
}
