import { ADDRESS_MAX_CHARS, SEGMENT_MAX_CHARS } from '../../api/limits.ts';
import { useAction } from '../../api/queries.ts';
import { type Role, useRole } from '../../api/role.ts';
import { Select, TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import { canAssign, PERMISSIONS, ROLES } from './roles.ts';

export function InviteDialog({ onClose }: { onClose(): void }) {
  const { role: myRole } = useRole();
  const invite = useAction('POST /v1/invitations', { changes: ['GET /v1/invitations'] });
  const form = useForm<{ email: string; role: Role; segment: string }>({
    initial: { email: '', role: 'member', segment: '' },
    submit: async ({ email, role, segment }) => {
      const invitation = await invite.mutateAsync({ body: { email: email.trim(), role, segment: segment.trim() || null } });
      say(`Invitation sent to ${invitation.email}`);
      onClose();
    },
  });
  return (
    <FormDialog title="Invite a member" action="Send invitation" form={form} onClose={onClose}>
      <TextField label="Email" type="email" autoComplete="off" maxLength={ADDRESS_MAX_CHARS} {...form.field('email')} />
      <Select label="Role" hint={PERMISSIONS[form.fields.role]} {...form.field('role')}>
        {ROLES.filter((role) => canAssign(myRole, role)).map((role) => (
          <option key={role} value={role}>
            {role}
          </option>
        ))}
      </Select>
      <TextField
        label="Segment (optional)"
        hint="Gives them their own address in the business, such as sales."
        maxLength={SEGMENT_MAX_CHARS}
        {...VERBATIM}
        {...form.field('segment')}
      />
    </FormDialog>
  );
}
