import { useState } from 'react';
import { useReading } from '../../api/queries.ts';
import type { Account, Door, Envelope, PublicProfile } from '../../api/schema.ts';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { ComposeDrop } from './compose-drop.tsx';
import { Closed, OwnBusiness, Refused } from './refusal.tsx';
import { SenderLine } from './sender-line.tsx';
import { Sent } from './sent.tsx';
import { SignIn } from './sign-in.tsx';

export function DropForm({ profile }: { profile: PublicProfile }) {
  const [sent, setSent] = useState<Envelope>();
  const session = useReading('GET /v1/account', {});
  const isSignedOut = session.error?.status === 401;
  const account = isSignedOut ? undefined : session.data;
  const door = useReading('GET /v1/drops/{handle}', { path: { handle: profile.handle } }, { enabled: account !== undefined });
  if (sent) return <Sent message={sent} onAnother={() => setSent(undefined)} />;

  // Loaded data stays in place when a reload fails.
  const failed = [session, door].find(({ error, data }) => error && error.status !== 401 && data === undefined);
  if (failed?.error) return <ErrorNote error={failed.error} onRetry={() => void failed.refetch()} />;
  const writer = account && door.data ? { account, door: door.data } : undefined;
  const refusal = writer && refusalFor(profile, writer.account, writer.door);
  if (refusal)
    return (
      <>
        {refusal}
        <SenderLine account={writer.account} sender={null} />
      </>
    );
  // Only businesses can write here, and signed-out visitors act for none.
  if (!writer && !profile.accepting_drops) return isSignedOut ? <Closed profile={profile} /> : <Loading rows={2} />;
  return (
    <>
      <ComposeDrop profile={profile} writer={writer} onSent={setSent} />
      {isSignedOut ? <SignIn handle={profile.handle} /> : null}
    </>
  );
}

function refusalFor(profile: PublicProfile, account: Account, door: Door) {
  if (account.businesses.some(({ handle }) => handle === profile.handle)) return <OwnBusiness profile={profile} />;
  if (door.allowed) return undefined;
  if (door.reason?.code === 'forbidden') return <Closed profile={profile} account={account} />;
  return <Refused profile={profile} account={account} reason={door.reason} />;
}
