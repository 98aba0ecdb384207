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
import { say } from '../../ui/toast.tsx';
import { MAY, mayGive, ROLES } from './roles.ts';
import { SegmentField } from './segment-field.tsx';

interface MemberRowProps {
  member: Member;
  isMe: boolean;
  myRole: Role | undefined;
}

export function MemberRow({ member, isMe, myRole }: MemberRowProps) {
  const isAdmin = myRole === 'owner' || myRole === 'admin';
  const mayChange = mayGive(myRole, member.role);
  return (
    <Row>
      <div className="min-w-0 grow basis-64">
        <p className="flex flex-wrap items-center gap-2">
          <Name className="font-medium">{member.name}</Name>
          {isMe ? <Badge>you</Badge> : null}
        </p>
        <p className="text-sm break-words text-soft">
          {member.email === null ? 'No mailbox shown' : <Name>{member.email}</Name>}, joined <Time at={member.joined_at} />
        </p>
        <SegmentField member={member} isEditable={isAdmin} />
      </div>
      <div className="flex items-center gap-2">
        {mayChange ? <RoleSelect member={member} isMe={isMe} myRole={myRole} /> : <Badge>{member.role}</Badge>}
        {isMe || mayChange ? <Removal member={member} isMe={isMe} /> : null}
      </div>
    </Row>
  );
}

function RoleSelect({ member, isMe, myRole }: MemberRowProps) {
  const [asked, setAsked] = useState<Role>();
  const change = useAction('PATCH /v1/members/{id}', { changes: ['GET /v1/members', 'GET /v1/account'] });
  const save = (role: Role) =>
    change.mutate(
      { path: { id: member.id }, body: { role } },
      {
        onSuccess: () => {
          setAsked(undefined);
          say(`${isMe ? 'You are' : `${member.name} is`} ${role === 'member' ? 'a' : 'an'} ${role} now`);
        },
      },
    );
  const onChoose = (role: Role) => (isMe ? setAsked(role) : save(role));
  return (
    <div>
      <Select
        label={visible(`Role of ${member.name}`)}
        isBare
        className="w-28"
        disabled={change.isPending}
        value={change.isPending ? change.variables.body.role : member.role}
        onChange={({ target }) => onChoose(target.value as Role)}
      >
        {ROLES.filter((role) => mayGive(myRole, role)).map((role) => (
          <option key={role} value={role}>
            {role}
          </option>
        ))}
      </Select>
      {change.error && !isMe ? <ErrorNote error={change.error} /> : null}
      {asked !== undefined ? (
        <Confirm
          title={`Become ${asked === 'member' ? 'a' : 'an'} ${asked}?`}
          action="Change my role"
          isBusy={change.isPending}
          error={change.error}
          onConfirm={() => save(asked)}
          onClose={() => {
            setAsked(undefined);
            change.reset();
          }}
        >
          {MAY[asked]} Somebody else has to undo this.
        </Confirm>
      ) : null}
    </div>
  );
}

function Removal({ member, isMe }: { member: Member; isMe: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const remove = useAction('DELETE /v1/members/{id}', { changes: isMe ? ['GET /v1/account'] : ['GET /v1/members'] });
  const onConfirm = async () => {
    // The row is gone by then. What fails is shown by the dialog.
    const isDone = await remove.mutateAsync({ path: { id: member.id } }).then(
      () => true,
      () => false,
    );
    if (!isDone) return;
    say(isMe ? 'You have left' : `${member.name} is removed`);
    // The guards of the pages find another business to act for.
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
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => void onConfirm()}
          onClose={() => {
            setAsking(false);
            remove.reset();
          }}
        >
          {isMe
            ? 'You lose access at once, and come back only when you are invited again.'
            : 'They lose access at once. What they have sent stays, with their name.'}
        </Confirm>
      ) : null}
    </>
  );
}
