import { useAction } from '../../api/queries.ts';
import { Choice } from '../../ui/choice.tsx';
import { Select, TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { visible } from '../../ui/name.tsx';
import { say } from '../../ui/toast.tsx';
import { type Form, useForm } from '../../ui/use-form.ts';
import type { Sender } from './senders.ts';

type Kind = 'domain' | 'person' | 'business';
type Fields = Record<'email_domain' | 'handle' | 'sender' | 'user_id', string> & { kind: Kind };

const KINDS: { value: Kind; label: string; hint: string }[] = [
  {
    value: 'domain',
    label: 'A domain',
    hint: 'All people and mailboxes at the domain and its subdomains, and businesses that verified it.',
  },
  { value: 'person', label: 'A person or mailbox', hint: 'Whichever business they write for, by email or signed in.' },
  { value: 'business', label: 'A business', hint: 'All agents, people and mailboxes that write for it.' },
];
/** The option for a sender whose id is typed. */
const BY_ID = '';

export function AddBlockDialog({ senders, onClose }: { senders: readonly Sender[]; onClose(): void }) {
  const add = useAction('POST /v1/blocks', { changes: ['GET /v1/blocks', 'GET /v1/contacts', 'GET /v1/contacts/by-party'] });
  const form = useForm<Fields>({
    initial: { kind: 'domain', email_domain: '', handle: '', sender: senders[0]?.id ?? BY_ID, user_id: '' },
    submit: async (fields) => {
      await add.mutateAsync({ body: blockIn(fields) });
      say('Blocked');
      onClose();
    },
  });
  const { kind } = form.fields;
  return (
    <FormDialog title="Add block" action="Block" form={form} onClose={onClose}>
      <Choice label="Block" options={KINDS} value={kind} onChange={(next) => form.set({ kind: next })} />
      {kind === 'business' ? <TextField label="Handle" placeholder="acme" {...VERBATIM} {...form.field('handle')} /> : null}
      {kind === 'domain' ? (
        <TextField label="Domain" placeholder="example.com" inputMode="url" {...VERBATIM} {...form.field('email_domain')} />
      ) : null}
      {kind === 'person' ? <SenderFields form={form} senders={senders} /> : null}
    </FormDialog>
  );
}

function SenderFields({ form, senders }: { form: Form<Fields>; senders: readonly Sender[] }) {
  return (
    <>
      {senders.length > 0 ? (
        <Select label="Sender" {...form.field('sender')}>
          {senders.map(({ id, name, email }) => (
            <option key={id} value={id}>
              {visible(email === null ? name : `${name} (${email})`)}
            </option>
          ))}
          <option value={BY_ID}>Someone else, by id</option>
        </Select>
      ) : null}
      {form.fields.sender === BY_ID ? (
        <TextField
          label="Id"
          placeholder="usr_…"
          {...VERBATIM}
          className="font-mono"
          hint="Starts with usr_ or mbx_. Each message from this sender has it in from.actor.id."
          {...form.field('user_id')}
        />
      ) : null}
    </>
  );
}

function blockIn({ kind, email_domain, handle, sender, user_id }: Fields) {
  if (kind === 'domain') return { email_domain: email_domain.trim() };
  if (kind === 'business') return { handle: handle.trim() };
  return { user_id: sender === BY_ID ? user_id.trim() : sender };
}
