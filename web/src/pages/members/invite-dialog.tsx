import { type FormEvent, useState } from 'react';
import { useAction } from '../../api/queries.ts';
import { type Role, useRole } from '../../api/role.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { MAY, mayGive, ROLES } from './roles.ts';

export function InviteDialog({ onClose }: { onClose(): void }) {
  const { role: mine } = useRole();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [segment, setSegment] = useState('');
  const invite = useAction('POST /v1/invitations', { changes: ['GET /v1/invitations'] });
  const { error } = invite;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate(
      { body: { email: email.trim(), role, segment: segment.trim() || null } },
      {
        onSuccess: (invitation) => {
          say(`A mail is on its way to ${invitation.email}`);
          onClose();
        },
      },
    );
  };
  const wrongEmail = error?.at('/email');
  const wrongSegment = error?.at('/segment');
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <form onSubmit={onSubmit} className="space-y-4">
        <TextField
          label="E-mail"
          type="email"
          autoComplete="off"
          required
          maxLength={320}
          value={email}
          onChange={({ target }) => setEmail(target.value)}
          error={wrongEmail && `This ${wrongEmail}.`}
        />
        <Select label="Role" hint={MAY[role]} value={role} onChange={({ target }) => setRole(target.value as Role)}>
          {ROLES.filter((one) => mayGive(mine, one)).map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </Select>
        <TextField
          label="Segment (optional)"
          hint="An address of their own inside the business, such as sales."
          maxLength={31}
          autoCapitalize="none"
          spellCheck={false}
          value={segment}
          onChange={({ target }) => setSegment(target.value)}
          error={wrongSegment && `It ${wrongSegment}.`}
        />
        {error && wrongEmail === undefined && wrongSegment === undefined ? <ErrorNote error={error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={invite.isPending}>
            Send invitation
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
