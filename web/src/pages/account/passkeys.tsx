import { type UseMutationResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Pencil, Plus, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useSignOut } from '../../api/auth.ts';
import { type ApiError, auth } from '../../api/client.ts';
import { addPasskey, canUsePasskeys, listPasskeys, type Passkey } from '../../api/passkeys.ts';
import { useReading } from '../../api/queries.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Name } from '../../ui/name.tsx';
import { Row, Rows, Section, Time } from '../../ui/parts.tsx';
import { Empty, ErrorNote, States } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { browserIn } from './words.ts';

const KEY = ['', 'passkeys'];

/** Something that is done about passkeys; the list is read anew afterwards. */
function usePasskeyAction<Input>(act: (input: Input) => Promise<unknown>): UseMutationResult<unknown, ApiError, Input> {
  const queries = useQueryClient();
  return useMutation<unknown, ApiError, Input>({ mutationFn: act, onSuccess: () => queries.invalidateQueries({ queryKey: KEY }) });
}

export function Passkeys() {
  const { data: ways } = useReading('GET /v1/sign-in', {});
  const list = useQuery<Passkey[], ApiError>({ queryKey: KEY, queryFn: listPasskeys });
  const [isAdding, setAdding] = useState(false);
  const whyNot = ways === undefined ? undefined : whyNoPasskeys(ways.passkey);
  const canAdd = ways !== undefined && whyNot === undefined;
  return (
    <Section
      title="Passkeys"
      actions={
        canAdd ? (
          <Button onClick={() => setAdding(true)} icon={<Plus className="size-4" aria-hidden />}>
            Add a passkey
          </Button>
        ) : null
      }
    >
      <States of={list} rows={1}>
        {(passkeys) =>
          passkeys.length > 0 ? (
            <Rows label="Passkeys">
              {passkeys.map((passkey) => (
                <PasskeyRow key={passkey.id} passkey={passkey} />
              ))}
            </Rows>
          ) : whyNot !== undefined ? null : (
            <Empty icon={<KeyRound className="size-6" aria-hidden />} title="No passkeys yet">
              Sign in with your fingerprint, face or security key instead of waiting for a code.
            </Empty>
          )
        }
      </States>
      {whyNot !== undefined ? <p className="mt-2 text-soft">{whyNot}</p> : null}
      {isAdding ? <AddPasskey onClose={() => setAdding(false)} /> : null}
    </Section>
  );
}

function whyNoPasskeys(isOffered: boolean): string | undefined {
  if (!isOffered)
    return 'Passkeys belong to a name, and this service is reached by an IP address. Whoever runs it can give it a name (PUBLIC_URL).';
  return canUsePasskeys() ? undefined : 'This browser has no passkeys.';
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const [asks, setAsks] = useState<'rename' | 'remove'>();
  const remove = usePasskeyAction(() => auth('POST', 'passkey/delete-passkey', { id: passkey.id }));
  const rename = usePasskeyAction((name: string) => auth('POST', 'passkey/update-passkey', { id: passkey.id, name }));
  const name = passkey.name || 'A passkey';
  const close = () => setAsks(undefined);
  return (
    <Row>
      <div className="min-w-0 grow">
        <Name className="font-medium">{name}</Name>
        <p className="text-sm text-soft">
          Added <Time at={passkey.createdAt} />
        </p>
      </div>
      <div className="flex">
        <IconButton label={`Rename ${name}`} onClick={() => setAsks('rename')}>
          <Pencil className="size-4" aria-hidden />
        </IconButton>
        <IconButton label={`Remove ${name}`} onClick={() => setAsks('remove')}>
          <Trash2 className="size-4" aria-hidden />
        </IconButton>
      </div>
      {asks === 'rename' ? (
        <NameDialog title="Rename passkey" action="Save" before={name} doing={rename} done="Passkey renamed" onClose={close} />
      ) : null}
      {asks === 'remove' ? (
        <Confirm
          title="Remove passkey?"
          action="Remove passkey"
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() =>
            void remove.mutateAsync(undefined).then(
              () => say('Passkey removed'),
              () => undefined,
            )
          }
          onClose={close}
        >
          <Name>{name}</Name> no longer signs you in. Your device may go on showing it until you delete it there, too.
        </Confirm>
      ) : null}
    </Row>
  );
}

function AddPasskey({ onClose }: { onClose(): void }) {
  const add = usePasskeyAction(addPasskey);
  return (
    <NameDialog
      title="Add a passkey"
      action="Add passkey"
      before={browserIn(navigator.userAgent)}
      hint="So that you know it again, such as the name of your device."
      doing={add}
      done="Passkey added"
      onClose={onClose}
    />
  );
}

interface NameDialogProps {
  title: string;
  action: string;
  before: string;
  hint?: string;
  doing: UseMutationResult<unknown, ApiError, string>;
  done: string;
  onClose(): void;
}

function NameDialog({ title, action, before, hint, doing, done, onClose }: NameDialogProps) {
  const [name, setName] = useState(before);
  const { signOut, isBusy } = useSignOut('/account');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    doing.mutate(name.trim(), {
      onSuccess: () => {
        say(done);
        onClose();
      },
    });
  };
  // Whoever finds a browser open shall not get a key of their own to it.
  const isTooOld = doing.error?.status === 403;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={onSubmit}>
        <TextField label="Name" hint={hint} required maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />
        {isTooOld ? (
          <p role="alert" className="mt-3 rounded-lg bg-warn-tint px-4 py-3 text-sm text-warn">
            You signed in more than a day ago. For a passkey, sign in again first.
          </p>
        ) : doing.error ? (
          <ErrorNote error={doing.error} />
        ) : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          {isTooOld ? (
            <Button look="primary" isBusy={isBusy} onClick={signOut}>
              Sign in again
            </Button>
          ) : (
            <Button type="submit" look="primary" isBusy={doing.isPending}>
              {action}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  );
}
