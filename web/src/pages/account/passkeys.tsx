import { type UseMutationResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useSignOut } from '../../api/auth.ts';
import { auth, type WaybillError } from '../../api/client.ts';
import { PASSKEY_NAME_MAX_CHARS } from '../../api/limits.ts';
import { addPasskey, canUsePasskeys, listPasskeys, type Passkey } from '../../api/passkeys.ts';
import { useReading } from '../../api/queries.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Name } from '../../ui/name.tsx';
import { Row, Rows, Section, Time } from '../../ui/parts.tsx';
import { Empty, States } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useForm } from '../../ui/use-form.ts';
import { browserName } from './session-names.ts';

const KEY = ['', 'passkeys'];

function usePasskeyAction<Input>(act: (input: Input) => Promise<unknown>): UseMutationResult<unknown, WaybillError, Input> {
  const queries = useQueryClient();
  return useMutation<unknown, WaybillError, Input>({ mutationFn: act, onSuccess: () => queries.invalidateQueries({ queryKey: KEY }) });
}

export function Passkeys() {
  const { data: ways } = useReading('GET /v1/sign-in', {});
  const list = useQuery<Passkey[], WaybillError>({ queryKey: KEY, queryFn: listPasskeys });
  const [isAdding, setAdding] = useState(false);
  const whyNot = ways === undefined ? undefined : whyNoPasskeys(ways.passkey);
  const canAdd = ways !== undefined && whyNot === undefined;
  return (
    <Section
      title="Passkeys"
      actions={
        canAdd ? (
          <Button onClick={() => setAdding(true)} icon={<Plus className="size-4" aria-hidden />}>
            Add passkey
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
              Sign in with your fingerprint, face or security key instead of an email code.
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
  if (!isOffered) return 'Passkeys need a domain name, and this service runs at an IP address. Its operator can set one with PUBLIC_URL.';
  return canUsePasskeys() ? undefined : 'This browser does not support passkeys.';
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const [opened, setOpened] = useState<'rename' | 'remove'>();
  const remove = usePasskeyAction(() => auth('POST', 'passkey/delete-passkey', { id: passkey.id }));
  const rename = usePasskeyAction((name: string) => auth('POST', 'passkey/update-passkey', { id: passkey.id, name }));
  const name = passkey.name || 'Passkey';
  const close = () => setOpened(undefined);
  return (
    <Row>
      <div className="min-w-0 grow">
        <Name className="font-medium">{name}</Name>
        <p className="text-sm text-soft">
          Added <Time at={passkey.createdAt} />
        </p>
      </div>
      <div className="flex">
        <IconButton label={`Rename ${name}`} onClick={() => setOpened('rename')}>
          <Pencil className="size-4" aria-hidden />
        </IconButton>
        <IconButton label={`Remove ${name}`} onClick={() => setOpened('remove')}>
          <Trash2 className="size-4" aria-hidden />
        </IconButton>
      </div>
      {opened === 'rename' ? (
        <NameDialog title="Rename passkey" action="Save" initial={name} mutation={rename} done="Passkey renamed" onClose={close} />
      ) : null}
      {opened === 'remove' ? (
        <Confirm
          title="Remove passkey?"
          action="Remove passkey"
          run={() => remove.mutateAsync(undefined)}
          done="Passkey removed"
          onClose={close}
        >
          You can no longer sign in with <Name>{name}</Name>. Delete it on your device as well.
        </Confirm>
      ) : null}
    </Row>
  );
}

function AddPasskey({ onClose }: { onClose(): void }) {
  const add = usePasskeyAction(addPasskey);
  return (
    <NameDialog
      title="Add passkey"
      action="Add passkey"
      initial={browserName(navigator.userAgent)}
      hint="To recognise it later, such as the name of your device."
      mutation={add}
      done="Passkey added"
      onClose={onClose}
    />
  );
}

interface NameDialogProps {
  title: string;
  action: string;
  initial: string;
  hint?: string;
  mutation: UseMutationResult<unknown, WaybillError, string>;
  done: string;
  onClose(): void;
}

function NameDialog({ title, action, initial, hint, mutation, done, onClose }: NameDialogProps) {
  const { signOut, isBusy } = useSignOut('/account');
  const form = useForm({
    initial: { name: initial },
    submit: async ({ name }) => {
      await mutation.mutateAsync(name.trim());
      say(done);
      onClose();
    },
  });
  // Passkeys need a recent sign-in, so that nobody adds their own at an unattended browser.
  if (form.error?.status === 403)
    return (
      <Dialog title={title} onClose={onClose}>
        <p role="alert" className="rounded-lg bg-warn-tint px-4 py-3 text-sm text-warn">
          You signed in more than a day ago. Sign in again to change passkeys.
        </p>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" isBusy={isBusy} onClick={signOut}>
            Sign in again
          </Button>
        </DialogActions>
      </Dialog>
    );
  return (
    <FormDialog title={title} action={action} form={form} onClose={onClose}>
      <TextField label="Name" hint={hint} maxLength={PASSKEY_NAME_MAX_CHARS} {...form.field('name')} />
    </FormDialog>
  );
}
