import { SendHorizontal } from 'lucide-react';
import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';
import { NOTE_MAX_CHARS, SUBJECT_MAX_CHARS } from '../../api/limits.ts';
import type { Account, Door, Envelope, PublicProfile } from '../../api/schema.ts';
import { useSend } from '../../api/send.ts';
import { type Uploads, useUploads } from '../../api/uploads.ts';
import { Attachments } from '../../ui/attachments.tsx';
import { Button } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Name } from '../../ui/name.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { useStoredFields } from '../../ui/stored-fields.ts';
import { ChosenFiles } from './chosen-files.tsx';
import { WriteAsBusiness } from './refusal.tsx';
import { SenderLine } from './sender-line.tsx';

interface ComposeDropProps {
  profile: PublicProfile;
  writer: { account: Account; door: Door } | undefined;
  onSent(message: Envelope): void;
}

const EMPTY = { subject: '', note: '' };

export function ComposeDrop({ profile, writer, onSent }: ComposeDropProps) {
  const { fields: draft, change, clear } = useStoredFields(`waybill.drop.${profile.handle}`, EMPTY);
  const [chosen, setChosen] = useState<readonly File[]>([]);
  const send = useSend('POST /v1/drops', writer?.account.id);
  const { error } = send;
  const submit = (files: string[]) => {
    const texts = Object.fromEntries(Object.entries(draft).filter(([, text]) => text.trim() !== ''));
    const body = JSON.stringify({ to: profile.handle, ...texts, ...(files.length > 0 && { files }) });
    send.mutate(body, {
      onSuccess: (message) => {
        clear();
        onSent(message);
      },
    });
  };
  const text = (name: keyof typeof EMPTY) => ({
    value: draft[name],
    error: error?.field(`/${name}`),
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
  });
  return (
    <section aria-labelledby="write">
      <h2 id="write" className="mb-4 text-lg font-semibold">
        Write to <Name>{profile.display_name}</Name>
      </h2>
      {writer && writer.account.businesses.length > 0 ? <AsBusiness handle={profile.handle} {...writer} /> : null}
      <div className="flex flex-col gap-4">
        <TextField label="Subject" maxLength={SUBJECT_MAX_CHARS} {...text('subject')} />
        <TextArea label="Message" rows={7} maxLength={NOTE_MAX_CHARS} {...text('note')} />
        {writer ? (
          <SendForm
            key={writer.account.id}
            files={chosen}
            isEmpty={draft.subject.trim() === '' && draft.note.trim() === ''}
            send={send}
            onSend={submit}
          />
        ) : (
          <ChosenFiles files={chosen} onChange={setChosen} />
        )}
      </div>
      {writer ? <SenderLine account={writer.account} sender={writer.door.sender} /> : null}
    </section>
  );
}

interface SendFormProps {
  files: readonly File[];
  isEmpty: boolean;
  send: Pick<ReturnType<typeof useSend>, 'error' | 'isPending'>;
  onSend(files: string[]): void;
}

function SendForm({ files, isEmpty, send: { error, isPending }, onSend }: SendFormProps) {
  const uploads = useUploads('/v1/drops/uploads');
  const begin = useEffectEvent(() => {
    if (uploads.list.length === 0 && files.length > 0) uploads.add(files);
  });
  useEffect(() => begin(), []);
  const [problem, setProblem] = useState<string>();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const found = problemOf(isEmpty, uploads);
    setProblem(found);
    if (found === undefined && uploads.ids) onSend(uploads.ids);
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4">
      <Attachments uploads={uploads} error={error?.field('/files')} />
      <p className="text-sm text-soft">
        You get a receipt. Anyone with its link sees your name, email address, subject, message and file names, but not the content of
        files.
      </p>
      {error ? <ErrorNote error={error} /> : null}
      <p role="status" className="text-sm text-warn empty:hidden">
        {problem}
      </p>
      <Button
        type="submit"
        look="primary"
        className="max-sm:w-full sm:self-start"
        isBusy={isPending}
        icon={<SendHorizontal className="size-4" aria-hidden />}
      >
        Send
      </Button>
      <LeaveGuard isNeeded={uploads.isUnfinished} />
    </form>
  );
}

function problemOf(isEmpty: boolean, uploads: Uploads): string | undefined {
  if (uploads.ids === undefined) return 'Wait until all files are uploaded, or remove the unfinished ones.';
  return isEmpty && uploads.list.length === 0 ? 'Enter a message or attach a file first.' : undefined;
}

/** Members of a business can write from its dashboard, where replies arrive. */
function AsBusiness({ handle, account, door }: { handle: string; account: Account; door: Door }) {
  const [first, ...others] = account.businesses;
  return (
    <div className="mb-5 flex flex-wrap items-center gap-x-4 gap-y-3 rounded-xl border border-line bg-tint px-4 py-3">
      <p className="grow basis-64 text-soft">
        You are a member of <Name className="text-ink">{first?.display_name}</Name>
        {others.length > 0 ? ' and other businesses' : ''}. Write as a business from the dashboard, or continue here
        {door.sender?.kind === 'handle' ? '' : ' as yourself'}.
      </p>
      <WriteAsBusiness handle={handle} />
    </div>
  );
}
