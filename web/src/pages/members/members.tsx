import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useList, useReading } from '../../api/queries.ts';
import { useRole } from '../../api/role.ts';
import { Button } from '../../ui/button.tsx';
import { PageHeader, Rows, Section } from '../../ui/parts.tsx';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberRow } from './member-row.tsx';

export function MembersPage() {
  const { role, isAdmin } = useRole();
  const { data: account } = useReading('GET /v1/account', {});
  const list = useList('GET /v1/members', { query: {} });
  const [isInviting, setInviting] = useState(false);
  return (
    <>
      <PageHeader
        title="Members"
        actions={
          isAdmin ? (
            <Button look="primary" onClick={() => setInviting(true)} icon={<UserPlus className="size-4" aria-hidden />}>
              Invite
            </Button>
          ) : null
        }
      >
        People who can act for your business.{role === 'member' ? ' Admins and owners manage members and roles.' : ''}
      </PageHeader>
      {list.error ? (
        <ErrorNote error={list.error} onRetry={list.retry} />
      ) : list.isPending ? (
        <Loading rows={3} label="Loading members" />
      ) : (
        <Rows label="Members">
          {list.items.map((member) => (
            <MemberRow key={member.id} member={member} isMe={member.id === account?.id} myRole={role} />
          ))}
        </Rows>
      )}
      {list.hasMore ? (
        <Button className="mt-3" isBusy={list.isFetchingMore} onClick={list.more}>
          Show more
        </Button>
      ) : null}
      {isAdmin ? (
        <Section title="Invitations">
          <Invitations />
        </Section>
      ) : null}
      {isInviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}
    </>
  );
}
