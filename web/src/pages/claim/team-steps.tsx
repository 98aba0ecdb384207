import { UserPlus } from 'lucide-react';
import { useReading } from '../../api/queries.ts';
import { useRole } from '../../api/role.ts';
import type { Envelope, EnvelopeSummary } from '../../api/schema.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Copyable } from '../../ui/parts.tsx';
import { Step } from './step.tsx';

export const DEMO = 'demo';

export function InviteStep() {
  const { isAdmin } = useRole();
  const { data: members } = useReading('GET /v1/members', { query: { limit: 2 } });
  const { data: invitations } = useReading('GET /v1/invitations', { query: { limit: 1 } }, { enabled: isAdmin });
  const isDone = (members?.data.length ?? 0) > 1 || (invitations?.data.length ?? 0) > 0;
  return (
    <Step number={1} title="Invite colleagues" isDone={isDone}>
      <p className="mb-3 text-soft">
        Everybody you invite works in the same inbox.{isAdmin ? '' : ' Admins and owners can invite: ask one of them.'}
      </p>
      {isAdmin ? (
        <ButtonLink to="/members" icon={<UserPlus className="size-4" aria-hidden />}>
          Invite colleagues
        </ButtonLink>
      ) : null}
    </Step>
  );
}

export function PartnerStep({ handle, sent }: { handle: string; sent: (Envelope | EnvelopeSummary)[] }) {
  const isDone = sent.some(({ to: { party } }) => party.kind !== 'handle' || (party.handle !== handle && party.handle !== DEMO));
  return (
    <Step number={2} title="Write to a partner" isDone={isDone}>
      <p className="mb-3 text-soft">Send a message, an order or files to a business with a handle.</p>
      <ButtonLink to="/compose" look="primary">
        New message
      </ButtonLink>
      <p className="mt-4 mb-2 text-soft">Partners without a handle write to you on this page:</p>
      <Copyable text={`${location.origin}/@${handle}`} label="page address" />
    </Step>
  );
}
