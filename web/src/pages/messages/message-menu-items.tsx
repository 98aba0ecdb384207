import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ban, BookUser, CodeXml, CopyPlus, FileDown, Hash, Printer, Reply, SquareArrowOutUpRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { useAction } from '../../api/queries.ts';
import type { Party } from '../../api/schema.ts';
import { copyText } from '../../ui/copy-text.ts';
import { MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Name } from '../../ui/name.tsx';
import { addressOf } from '../../ui/parts.tsx';
import { say } from '../../ui/toast.tsx';
import { DownloadItems } from './download-items.tsx';
import { replaceDraft } from './draft.ts';
import type { Block } from './message-dialogs.tsx';
import { fullMessage, type Message } from './thread-messages.ts';

interface MenuItemsProps {
  message: Message;
  onReply(): void;
  onShow(shown: 'source' | 'print' | Block): void;
}

/** What can be done with a message. It is loaded when the menu is open for the first time. */
export function MessageMenuItems({ message, onReply, onShow }: MenuItemsProps) {
  const { id, from, receipt_url, json_sha256 } = message;
  const { party } = from;
  const business = useActiveBusiness();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const save = useAction('POST /v1/contacts', { changes: ['GET /v1/contacts'] });
  const isOwn = party.kind === 'handle' && party.handle === business;
  const copy = (text: string, what: string) => void copyText(text).then(() => say(`${what} copied`));
  // A promise, because the menu is gone when the response is there.
  const addContact = () =>
    save.mutateAsync({ body: partyFields(party) }).then(
      () => say('Contact saved'),
      (failure: Error) => say(failure.message),
    );
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
  const begin = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const menu = begin.current?.parentElement;
    // The menu gives the focus to its first item, which was not there yet.
    if (!menu?.contains(document.activeElement)) menu?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
  }, []);
  return (
    <>
      <span ref={begin} hidden />
      <MenuItem onSelect={onReply}>
        <Reply className="size-4" aria-hidden />
        Reply
      </MenuItem>
      <MenuItem onSelect={() => void duplicate()}>
        <CopyPlus className="size-4" aria-hidden />
        Duplicate
      </MenuItem>
      {json_sha256 === null ? null : (
        <>
          <MenuItem onSelect={() => onShow('print')}>
            <Printer className="size-4" aria-hidden />
            Print
          </MenuItem>
          <DownloadItems message={message} />
          <MenuLine />
        </>
      )}
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
      <MenuItem onSelect={() => onShow('source')}>
        <CodeXml className="size-4" aria-hidden />
        View source
      </MenuItem>
      {isOwn ? null : (
        <>
          <MenuLine />
          <MenuItem onSelect={() => void addContact()}>
            <BookUser className="size-4" aria-hidden />
            Add to contacts
          </MenuItem>
          {blocks.map((block) => (
            <MenuItem key={block.name} isDangerous onSelect={() => onShow(block)}>
              <Ban className="size-4 shrink-0" aria-hidden />
              <span className="truncate">
                Block <Name>{block.name}</Name>
              </span>
            </MenuItem>
          ))}
        </>
      )}
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
