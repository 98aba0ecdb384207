import { useNavigate } from '@tanstack/react-router';
import { Ban, Building2, DoorClosed } from 'lucide-react';
import type { ReactNode } from 'react';
import { actFor } from '../../api/business.ts';
import type { Account, Door, PublicProfile } from '../../api/schema.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Name } from '../../ui/name.tsx';
import { Copyable } from '../../ui/parts.tsx';

/** Why nothing can be written here, and what can be done instead. */
function NoEntry({ icon, title, children, actions }: { icon: ReactNode; title: string; children: ReactNode; actions?: ReactNode }) {
  return (
    <section className="rounded-xl border border-line bg-tint px-5 py-5">
      <h2 className="flex items-center gap-2.5 text-lg font-semibold">
        {icon}
        {title}
      </h2>
      <div className="mt-1.5 text-soft">{children}</div>
      {actions !== undefined ? <div className="mt-4 flex flex-wrap gap-2">{actions}</div> : null}
    </section>
  );
}

/** account: of whoever has signed in. */
export function Closed({ profile, account }: { profile: PublicProfile; account?: Account }) {
  const business = account?.businesses[0];
  return (
    <NoEntry
      icon={<DoorClosed className="size-5 shrink-0" aria-hidden />}
      title="Only businesses can write here"
      actions={
        business || !account ? (
          <>
            <WriteAsBusiness handle={profile.handle} isFirst />
            {account ? null : <ButtonLink to="/claim">Claim a handle</ButtonLink>}
          </>
        ) : (
          <ButtonLink look="primary" to="/claim">
            Claim a handle
          </ButtonLink>
        )
      }
    >
      <Name className="text-ink">{profile.display_name}</Name> takes no messages from people without a handle, neither here nor by mail.{' '}
      {business ? (
        <>
          As you belong to <Name className="text-ink">{business.display_name}</Name>, you can write from its dashboard.
        </>
      ) : (
        'Once your business has a handle, you can write from its dashboard.'
      )}
    </NoEntry>
  );
}

export function OwnBusiness({ profile }: { profile: PublicProfile }) {
  const navigate = useNavigate();
  // Whoever belongs to several may have had another one open.
  const open = (to: '/inbox' | '/settings') => {
    actFor(profile.handle);
    void navigate({ to });
  };
  return (
    <NoEntry
      icon={<Building2 className="size-5 shrink-0" aria-hidden />}
      title="This is your own business"
      actions={
        <>
          <Button look="primary" onClick={() => open('/inbox')}>
            Open the inbox
          </Button>
          <Button onClick={() => open('/settings')}>Settings</Button>
        </>
      }
    >
      <p className="mb-3">
        {profile.accepting_drops
          ? 'Others write to it here, without a handle of their own. Give them the link:'
          : 'Others could write to it here, but messages from people without a handle are switched off in its settings.'}
      </p>
      {profile.accepting_drops ? <Copyable text={`${location.origin}/@${profile.handle}`} label="link to this page" /> : null}
    </NoEntry>
  );
}

/** All but a closed door. */
export function Refused({ profile, account, reason }: { profile: PublicProfile; account: Account; reason: Door['reason'] }) {
  const name = <Name className="text-ink">{profile.display_name}</Name>;
  if (reason?.code === 'party_required')
    return (
      <NoEntry
        icon={<Building2 className="size-5 shrink-0" aria-hidden />}
        title="We can’t tell for whom you write"
        actions={
          account.businesses.length > 0 ? (
            <WriteAsBusiness handle={profile.handle} isFirst />
          ) : (
            <ButtonLink look="primary" to="/claim">
              Claim a handle
            </ButtonLink>
          )
        }
      >
        The account you have signed in with has proved no mailbox to us. Sign out and use a code that we mail to you, or write as a business
        with a handle.
      </NoEntry>
    );
  if (reason?.code === 'sender_blocked')
    return (
      <NoEntry icon={<Ban className="size-5 shrink-0" aria-hidden />} title="You can’t write to them">
        {name} has blocked {account.email === null ? 'you' : <Name className="text-ink">{account.email}</Name>} or everybody at its domain.
        Nothing that you send here would arrive. If you think that this is a mistake, reach them another way.
      </NoEntry>
    );
  return (
    <NoEntry icon={<Ban className="size-5 shrink-0" aria-hidden />} title="You can’t write to them now">
      {reason?.message}
    </NoEntry>
  );
}

export function WriteAsBusiness({ handle, isFirst = false }: { handle: string; isFirst?: boolean }) {
  return (
    <ButtonLink look={isFirst ? 'primary' : 'secondary'} to="/compose" search={{ to: handle }}>
      Write from the dashboard
    </ButtonLink>
  );
}
