import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ban, BookUser, CodeXml, CopyPlus, EllipsisVertical, FileDown, Hash, Reply, SquareArrowOutUpRight } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { retried } from '../../api/lazy.ts';
import { useAction } from '../../api/queries.ts';
import type { Party } from '../../api/schema.ts';
import { copyText } from '../../ui/copy-text.ts';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Name } from '../../ui/name.tsx';
import { addressOf } from '../../ui/parts.tsx';
import { say } from '../../ui/toast.tsx';
import { replaceDraft } from './draft.ts';
import type { Block } from './message-dialogs.tsx';
import { fullMessage, type Message } from './thread-messages.ts';

const MessageSource = lazy(retried(async () => ({ default: (await import('./message-dialogs.tsx')).MessageSource })));
const BlockSender = lazy(retried(async () => ({ default: (await import('./message-dialogs.tsx')).BlockSender })));

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
      <Suspense fallback={null}>
        {shown === 'source' ? <MessageSource message={message} onClose={() => setShown(undefined)} /> : null}
        {shown !== undefined && shown !== 'source' ? <BlockSender block={shown} onClose={() => setShown(undefined)} /> : null}
      </Suspense>
    </>
  );
}

async function downloadProof(id: string): Promise<void> {
  const download = await import('./download-proof.ts');
  await download.downloadProof(id);
}

/** Blocks of the person or mailbox, and of its business or domain. Public email domains are not offered. */
function blocksFor({ from }: Message): Block[] {
  const blocks: Block[] = [];
  if (from.actor.kind !== 'agent') blocks.push({ name: from.actor.email ?? from.actor.name, fields: { user_id: from.actor.id } });
  if (from.party.kind === 'domain') blocks.push({ name: `everyone at ${from.party.domain}`, fields: { email_domain: from.party.domain } });
  if (from.party.kind === 'handle') blocks.push({ name: `everyone at ${from.party.handle}`, fields: { handle: from.party.handle } });
  return blocks;
}

function partyFields(party: Party): { handle: string } | { domain: string } | { email: string } {
  if (party.kind === 'handle') return { handle: party.handle };
  return party.kind === 'domain' ? { domain: party.domain } : { email: party.email };
}
