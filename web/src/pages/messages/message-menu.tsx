import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ban, BookUser, CodeXml, CopyPlus, EllipsisVertical, FileDown, Hash, Reply, SquareArrowOutUpRight } from 'lucide-react';
import { useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { useAction } from '../../api/queries.ts';
import type { Party } from '../../api/schema.ts';
import { copyText } from '../../ui/copy-text.ts';
import { Confirm, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { number } from '../../ui/format.ts';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Name } from '../../ui/name.tsx';
import { addressOf, CopyButton } from '../../ui/parts.tsx';
import { States } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { replaceDraft } from './draft.ts';
import { fullMessage, type Message, useFullMessage } from './thread-messages.ts';

/** Actions on a message and on its sender. */
export function MessageMenu({ message, onReply }: { message: Message; onReply(): void }) {
  const { id, from, receipt_url } = message;
  const { party } = from;
  const business = useActiveBusiness();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [shown, setShown] = useState<'source' | Block>();
  const save = useAction('POST /v1/contacts', { changes: ['GET /v1/contacts'] });
  const isOwn = party.kind === 'handle' && party.handle === business;
  const copy = (text: string, what: string) => void copyText(text).then(() => say(`${what} copied`));
  const duplicate = async () => {
    try {
      const { json } = await queries.fetchQuery(fullMessage(business, message));
      const to = `${addressOf(message.to.party).replace(/^@/, '')}${message.to.segment === null ? '' : `/${message.to.segment}`}`;
      const { type, subject, note } = message;
      replaceDraft({ to: isOwn ? to : '', type: type ?? '', subject: subject ?? '', note: note ?? '', json: json ?? '' });
      await navigate({ to: '/compose' });
    } catch (failure) {
      say(failure instanceof Error ? failure.message : 'Couldn’t load the message.');
    }
  };
  const blocks = isOwn ? [] : blocksFor(message);
  return (
    <>
      <Menu
        name="Message actions"
        isLeftward
        className="grid size-8 place-items-center rounded-lg text-soft hover:bg-hover hover:text-ink"
        label={<EllipsisVertical className="size-4" aria-hidden />}
      >
        <MenuItem onSelect={onReply}>
          <Reply className="size-4" aria-hidden />
          Reply
        </MenuItem>
        <MenuItem onSelect={() => void duplicate()}>
          <CopyPlus className="size-4" aria-hidden />
          Duplicate
        </MenuItem>
        <MenuItem onSelect={() => copy(id, 'Message id')}>
          <Hash className="size-4" aria-hidden />
          Copy message id
        </MenuItem>
        <MenuItem onSelect={() => copy(receipt_url, 'Receipt link')}>
          <SquareArrowOutUpRight className="size-4" aria-hidden />
          Copy receipt link
        </MenuItem>
        <MenuItem onSelect={() => void downloadProof(id)}>
          <FileDown className="size-4" aria-hidden />
          Download proof
        </MenuItem>
        <MenuItem onSelect={() => setShown('source')}>
          <CodeXml className="size-4" aria-hidden />
          View source
        </MenuItem>
        {isOwn ? null : (
          <>
            <MenuLine />
            <MenuItem
              onSelect={() =>
                save.mutate({ body: partyFields(party) }, { onSuccess: () => say('Contact saved'), onError: ({ message }) => say(message) })
              }
            >
              <BookUser className="size-4" aria-hidden />
              Add to contacts
            </MenuItem>
            {blocks.map((block) => (
              <MenuItem key={block.name} isDangerous onSelect={() => setShown(block)}>
                <Ban className="size-4 shrink-0" aria-hidden />
                <span className="truncate">
                  Block <Name>{block.name}</Name>
                </span>
              </MenuItem>
            ))}
          </>
        )}
      </Menu>
      {shown === 'source' ? <Source message={message} onClose={() => setShown(undefined)} /> : null}
      {shown !== undefined && shown !== 'source' ? <BlockSender block={shown} onClose={() => setShown(undefined)} /> : null}
    </>
  );
}

/** In a file of its own, which few need. */
async function downloadProof(id: string): Promise<void> {
  const download = await import('./download-proof.ts');
  await download.downloadProof(id);
}

interface Block {
  name: string;
  fields: { user_id: string } | { email_domain: string } | { handle: string };
}

/** The person or mailbox, and its business or its domain. Public email domains are not offered. */
function blocksFor({ from }: Message): Block[] {
  const blocks: Block[] = [];
  if (from.actor.kind !== 'agent') blocks.push({ name: from.actor.email ?? from.actor.name, fields: { user_id: from.actor.id } });
  if (from.party.kind === 'domain') blocks.push({ name: `everyone at ${from.party.domain}`, fields: { email_domain: from.party.domain } });
  if (from.party.kind === 'handle') blocks.push({ name: `everyone at ${from.party.handle}`, fields: { handle: from.party.handle } });
  return blocks;
}

function BlockSender({ block, onClose }: { block: Block; onClose(): void }) {
  const add = useAction('POST /v1/blocks', { changes: ['GET /v1/blocks', 'GET /v1/contacts'] });
  return (
    <Confirm
      title={`Block ${block.name}?`}
      action="Block"
      run={() => add.mutateAsync({ body: block.fields })}
      done="Blocked"
      onClose={onClose}
    >
      Their messages will be refused, and they are told so. Earlier messages stay. You can undo this under Blocks.
    </Confirm>
  );
}

const SHOWN_CHARS = 20_000;

/** The envelope as the API returned it. */
function Source({ message, onClose }: { message: Message; onClose(): void }) {
  const full = useFullMessage(message);
  return (
    <Dialog title="Message source" isWide onClose={onClose}>
      <States of={full}>{({ raw }) => <SourceText text={raw} />}</States>
    </Dialog>
  );
}

function SourceText({ text }: { text: string }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards can scroll it only with the focus */}
      <pre tabIndex={0} className="max-h-[60vh] overflow-y-auto rounded-lg bg-tint p-3 font-mono text-xs break-all whitespace-pre-wrap">
        {text.slice(0, SHOWN_CHARS)}
        {text.length > SHOWN_CHARS ? '…' : ''}
      </pre>
      {text.length > SHOWN_CHARS ? (
        <p className="mt-2 text-sm text-soft">
          Showing {number(SHOWN_CHARS)} of {number(text.length)} characters. Copy to get the full source.
        </p>
      ) : null}
      <DialogActions>
        <CopyButton text={text} label="Copy" />
      </DialogActions>
    </>
  );
}

function partyFields(party: Party): { handle: string } | { domain: string } | { email: string } {
  if (party.kind === 'handle') return { handle: party.handle };
  return party.kind === 'domain' ? { domain: party.domain } : { email: party.email };
}
