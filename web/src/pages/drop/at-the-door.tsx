import { useState } from 'react';
import { useReading } from '../../api/queries.ts';
import type { Account, Door, Envelope, PublicProfile } from '../../api/schema.ts';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { Closed, OwnBusiness, Refused } from './no-entry.tsx';
import { Sent } from './sent.tsx';
import { SignIn } from './sign-in.tsx';
import { WhoWrites } from './who-writes.tsx';
import { Writing } from './writing.tsx';

/** From a stranger to a receipt, all in one place. */
export function AtTheDoor({ profile }: { profile: PublicProfile }) {
  const [sent, setSent] = useState<Envelope>();
  const asked = useReading('GET /v1/account', {});
  const isStranger = asked.error?.status === 401;
  const account = isStranger ? undefined : asked.data;
  const door = useReading('GET /v1/drops/{handle}', { path: { handle: profile.handle } }, { enabled: account !== undefined });
  if (sent) return <Sent message={sent} onAnother={() => setSent(undefined)} />;

  // What is known stays in its place, even if it can't be read anew at the moment.
  const failed = [asked, door].find(({ error, data }) => error && error.status !== 401 && data === undefined);
  if (failed?.error) return <ErrorNote error={failed.error} onRetry={() => void failed.refetch()} />;
  const writer = account && door.data ? { account, door: door.data } : undefined;
  const refusal = writer && whyNot(profile, writer.account, writer.door);
  if (refusal)
    return (
      <>
        {refusal}
        <WhoWrites account={writer.account} sender={null} />
      </>
    );
  // Nobody who has not said who they are writes where only businesses are let in.
  if (!writer && !profile.accepting_drops) return isStranger ? <Closed profile={profile} /> : <Loading rows={2} />;
  return (
    <>
      <Writing profile={profile} writer={writer} onSent={setSent} />
      {isStranger ? <SignIn handle={profile.handle} /> : null}
    </>
  );
}

function whyNot(profile: PublicProfile, account: Account, door: Door) {
  if (account.businesses.some(({ handle }) => handle === profile.handle)) return <OwnBusiness profile={profile} />;
  if (door.allowed) return undefined;
  if (door.reason?.code === 'forbidden') return <Closed profile={profile} account={account} />;
  return <Refused profile={profile} account={account} reason={door.reason} />;
}
