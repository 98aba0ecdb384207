import { useNavigate } from '@tanstack/react-router';
import { Ban, Building2, DoorClosed } from 'lucide-react';
import type { ReactNode } from 'react';
import { actFor } from '../../api/business.ts';
import type { Account, Door, PublicProfile } from '../../api/schema.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Name } from '../../ui/name.tsx';
import { Copyable } from '../../ui/parts.tsx';

function Refusal({ icon, title, children, actions }: { icon: ReactNode; title: string; children: ReactNode; actions?: ReactNode }) {
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

export function Closed({ profile, account }: { profile: PublicProfile; account?: Account }) {
  const business = account?.businesses[0];
  return (
    <Refusal
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
      <Name className="text-ink">{profile.display_name}</Name> does not accept messages from people without a handle.{' '}
      {business ? (
        <>
          You can write as <Name className="text-ink">{business.display_name}</Name> from the dashboard.
        </>
      ) : (
        'Claim a handle for your business to write from the dashboard.'
      )}
    </Refusal>
  );
}

export function OwnBusiness({ profile }: { profile: PublicProfile }) {
  const navigate = useNavigate();
  // The person may act for another business at the moment.
  const open = (to: '/inbox' | '/settings') => {
    actFor(profile.handle);
    void navigate({ to });
  };
  return (
    <Refusal
      icon={<Building2 className="size-5 shrink-0" aria-hidden />}
      title="This is your business"
      actions={
        <>
          <Button look="primary" onClick={() => open('/inbox')}>
            Open inbox
          </Button>
          <Button onClick={() => open('/settings')}>Settings</Button>
        </>
      }
    >
      <p className="mb-3">
        {profile.accepting_drops
          ? 'People without a handle can write to you on this page. Share the link:'
          : 'People without a handle could write to you on this page, but it is turned off in the settings.'}
      </p>
      {profile.accepting_drops ? <Copyable text={`${location.origin}/@${profile.handle}`} label="link to this page" /> : null}
    </Refusal>
  );
}

export function Refused({ profile, account, reason }: { profile: PublicProfile; account: Account; reason: Door['reason'] }) {
  const name = <Name className="text-ink">{profile.display_name}</Name>;
  if (reason?.code === 'party_required')
    return (
      <Refusal
        icon={<Building2 className="size-5 shrink-0" aria-hidden />}
        title="Your email address is not verified"
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
        The account you signed in with did not verify an email address. Sign out and sign in with a one-time code, or write as a business
        with a handle.
      </Refusal>
    );
  if (reason?.code === 'sender_blocked')
    return (
      <Refusal icon={<Ban className="size-5 shrink-0" aria-hidden />} title="You are blocked">
        {name} blocked {account.email === null ? 'you' : <Name className="text-ink">{account.email}</Name>} or its domain. If this is a
        mistake, contact them another way.
      </Refusal>
    );
  return (
    <Refusal icon={<Ban className="size-5 shrink-0" aria-hidden />} title="You can’t write right now">
      {reason?.message}
    </Refusal>
  );
}

export function WriteAsBusiness({ handle, isFirst = false }: { handle: string; isFirst?: boolean }) {
  return (
    <ButtonLink look={isFirst ? 'primary' : 'secondary'} to="/compose" search={{ to: handle }}>
      Write from the dashboard
    </ButtonLink>
  );
}
