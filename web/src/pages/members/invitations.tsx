import { useState } from 'react';
import { useAction, useReading } from '../../api/queries.ts';
import type { Invitation } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge, Row, Rows, Time } from '../../ui/parts.tsx';
import { States } from '../../ui/states.tsx';

export function Invitations() {
  const invitations = useReading('GET /v1/invitations', {});
  return (
    <States of={invitations} rows={1}>
      {({ data }) =>
        data.length === 0 ? (
          <p className="text-soft">No open invitations. Invite people by email: they join with the link in it.</p>
        ) : (
          <Rows label="Invitations">
            {data.map((invitation) => (
              <InvitationRow key={invitation.id} invitation={invitation} />
            ))}
          </Rows>
        )
      }
    </States>
  );
}

function InvitationRow({ invitation: { id, email, role, segment, created_at, expires_at } }: { invitation: Invitation }) {
  const [isAsking, setAsking] = useState(false);
  const withdraw = useAction('DELETE /v1/invitations/{id}', { changes: ['GET /v1/invitations'] });
  return (
    <Row>
      <div className="min-w-0 grow basis-64">
        <Name className="font-medium">{email}</Name>
        <p className="text-sm text-soft">
          Invited <Time at={created_at} />
          {segment === null ? '' : ` for ${segment}`}, expires <Time at={expires_at} />
        </p>
      </div>
      <div className="flex items-center gap-2">
        <Badge>{role}</Badge>
        <Button look="quiet" onClick={() => setAsking(true)} aria-label={`Withdraw invitation for ${email}`}>
          Withdraw
        </Button>
      </div>
      {isAsking ? (
        <Confirm
          title="Withdraw invitation?"
          action="Withdraw"
          run={() => withdraw.mutateAsync({ path: { id } })}
          done="Invitation withdrawn"
          onClose={() => setAsking(false)}
        >
          The link sent to <Name>{email}</Name> stops working.
        </Confirm>
      ) : null}
    </Row>
  );
}
