import { useState } from 'react';
import { useAction } from '../../api/queries.ts';
import { Choice } from '../../ui/choice.tsx';
import { Select, TextField, VERBATIM } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { visible } from '../../ui/name.tsx';
import { say } from '../../ui/toast.tsx';
import type { Sender } from './senders.ts';

type Kind = 'domain' | 'person' | 'business';

const KINDS: { value: Kind; label: string; hint: string }[] = [
  {
    value: 'domain',
    label: 'A domain',
    hint: 'All people and mailboxes of it and of its subdomains, and businesses that have verified it.',
  },
  { value: 'person', label: 'A person or mailbox', hint: 'Whatever they write for, by mail or signed in.' },
  { value: 'business', label: 'A business', hint: 'All agents, people and mailboxes that write for it.' },
];
/** Not among those who wrote lately. */
const ANOTHER = '';

export function AddBlockDialog({ senders, onClose }: { senders: readonly Sender[]; onClose(): void }) {
  const [kind, setKind] = useState<Kind>('domain');
  const [domain, setDomain] = useState('');
  const [handle, setHandle] = useState('');
  const [chosen, setChosen] = useState(senders[0]?.id ?? ANOTHER);
  const [typedId, setTypedId] = useState('');
  const add = useAction('POST /v1/blocks', { changes: ['GET /v1/blocks', 'GET /v1/contacts', 'GET /v1/contacts/by-party'] });
  const { error } = add;
  const wanted = {
    domain: { email_domain: domain.trim() },
    person: { user_id: chosen === ANOTHER ? typedId.trim() : chosen },
    business: { handle: handle.trim() },
  };
  const submit = () =>
    add.mutate(
      { body: wanted[kind] },
      {
        onSuccess: () => {
          say('Blocked from now on.');
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title="Add a block"
      action="Block"
      isBusy={add.isPending}
      error={error}
      fields={['/email_domain', '/user_id', '/handle']}
      onSubmit={submit}
      onClose={onClose}
    >
      <Choice
        label="Whom to block"
        options={KINDS}
        value={kind}
        onChange={(next) => {
          setKind(next);
          add.reset();
        }}
      />
      {kind === 'business' ? (
        <TextField
          label="Handle"
          placeholder="acme"
          value={handle}
          onChange={({ target }) => setHandle(target.value)}
          {...VERBATIM}
          error={error?.at('/handle')}
        />
      ) : kind === 'domain' ? (
        <TextField
          label="Domain"
          placeholder="example.com"
          value={domain}
          onChange={({ target }) => setDomain(target.value)}
          inputMode="url"
          {...VERBATIM}
          error={error?.at('/email_domain')}
        />
      ) : (
        <>
          {senders.length > 0 ? (
            <Select label="Who" value={chosen} onChange={({ target }) => setChosen(target.value)}>
              {senders.map(({ id, name, email }) => (
                <option key={id} value={id}>
                  {visible(email === null ? name : `${name} (${email})`)}
                </option>
              ))}
              <option value={ANOTHER}>Somebody else, by id</option>
            </Select>
          ) : null}
          {chosen === ANOTHER ? (
            <TextField
              label="Id"
              placeholder="usr_…"
              value={typedId}
              onChange={({ target }) => setTypedId(target.value)}
              {...VERBATIM}
              className="font-mono"
              error={error?.at('/user_id')}
              hint="It begins with usr_ or mbx_ and stands in each message that they sent, as from.actor.id."
            />
          ) : null}
        </>
      )}
    </FormDialog>
  );
}
