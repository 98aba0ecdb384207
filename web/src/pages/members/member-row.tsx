import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../api/queries.ts';
import type { Role } from '../../api/role.ts';
import type { Member } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { Name, visible } from '../../ui/name.tsx';
import { Badge, Row, Time } from '../../ui/parts.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { useTask } from '../../ui/task.ts';
import { say } from '../../ui/toast.tsx';
import { canAssign, PERMISSIONS, ROLES } from './roles.ts';
import { SegmentField } from './segment-field.tsx';

interface MemberRowProps {
  member: Member;
  isMe: boolean;
  myRole: Role | undefined;
}

export function MemberRow({ member, isMe, myRole }: MemberRowProps) {
  const isAdmin = myRole === 'owner' || myRole === 'admin';
  const canChange = canAssign(myRole, member.role);
  return (
    <Row>
      <div className="min-w-0 grow basis-64">
        <p className="flex flex-wrap items-center gap-2">
          <Name className="font-medium">{member.name}</Name>
          {isMe ? <Badge>you</Badge> : null}
        </p>
        <p className="text-sm break-words text-soft">
          {member.email === null ? 'No verified email' : <Name>{member.email}</Name>}, joined <Time at={member.joined_at} />
        </p>
        <SegmentField member={member} isEditable={isAdmin} />
      </div>
      <div className="flex items-center gap-2">
        {canChange ? <RoleSelect member={member} isMe={isMe} myRole={myRole} /> : <Badge>{member.role}</Badge>}
        {isMe || canChange ? <Removal member={member} isMe={isMe} /> : null}
      </div>
    </Row>
  );
}

function RoleSelect({ member, isMe, myRole }: MemberRowProps) {
  const [asked, setAsked] = useState<Role>();
  const change = useAction('PATCH /v1/members/{id}', { changes: ['GET /v1/members', 'GET /v1/account'] });
  const { error, run } = useTask();
  const save = async (role: Role) => {
    await change.mutateAsync({ path: { id: member.id }, body: { role } });
    say(`${isMe ? 'You are' : `${member.name} is`} now ${role === 'member' ? 'a' : 'an'} ${role}`);
  };
  const onChoose = (role: Role) => (isMe ? setAsked(role) : void run(() => save(role)));
  return (
    <div>
      <Select
        label={visible(`Role of ${member.name}`)}
        isBare
        className="w-28"
        disabled={change.isPending}
        value={change.isPending ? change.variables.body.role : member.role}
        onChange={({ target }) => onChoose(ROLES.find((role) => role === target.value) ?? member.role)}
      >
        {ROLES.filter((role) => canAssign(myRole, role)).map((role) => (
          <option key={role} value={role}>
            {role}
          </option>
        ))}
      </Select>
      {error ? <ErrorNote error={error} /> : null}
      {asked !== undefined ? (
        <Confirm title={`Change your role to ${asked}?`} action="Change role" run={() => save(asked)} onClose={() => setAsked(undefined)}>
          {PERMISSIONS[asked]} Only someone else can undo this.
        </Confirm>
      ) : null}
    </div>
  );
}

function Removal({ member, isMe }: { member: Member; isMe: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const remove = useAction('DELETE /v1/members/{id}', { changes: isMe ? ['GET /v1/account'] : ['GET /v1/members'] });
  const leaveOrRemove = async () => {
    await remove.mutateAsync({ path: { id: member.id } });
    // The route guards find another business to act for.
    if (isMe) await navigate({ to: '/inbox' });
  };
  return (
    <>
      <Button look="quiet" className="w-24" onClick={() => setAsking(true)} aria-label={isMe ? 'Leave' : visible(`Remove ${member.name}`)}>
        {isMe ? 'Leave' : 'Remove'}
      </Button>
      {isAsking ? (
        <Confirm
          title={isMe ? 'Leave this business?' : `Remove ${member.name}?`}
          action={isMe ? 'Leave' : 'Remove'}
          run={leaveOrRemove}
          done={isMe ? 'You left the business' : `${member.name} removed`}
          onClose={() => setAsking(false)}
        >
          {isMe
            ? 'You lose access at once. To come back, you need a new invitation.'
            : 'They lose access at once. Messages they sent stay, with their name.'}
        </Confirm>
      ) : null}
    </>
  );
}
