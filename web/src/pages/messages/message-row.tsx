import { Link } from '@tanstack/react-router';
import { Braces, Paperclip } from 'lucide-react';
import { Name } from '../../ui/name.tsx';
import { addressOf, Badge, isNamedByAddress, Time } from '../../ui/parts.tsx';
import type { Mailbox, Summary } from './message-list.ts';

interface MessageRowProps {
  message: Summary;
  mailbox: Mailbox;
  /** Sent for your business by someone who is not a member. */
  isFromNonMember: boolean;
  onFocus(): void;
}

export function MessageRow({ message, mailbox, isFromNonMember, onFocus }: MessageRowProps) {
  const { id, threadId, party, type, subject, note, files, hasJson, verdict, at } = message;
  return (
    <Link
      to="/threads/$id"
      params={{ id: threadId }}
      hash={id}
      preload={false}
      data-message={id}
      onFocus={onFocus}
      className="grid h-full grid-cols-[1fr_auto] content-center items-center gap-x-4 gap-y-1 border-b border-line px-2 -outline-offset-2 hover:bg-tint md:grid-cols-[15rem_1fr_auto]"
    >
      <span className="flex min-w-0 items-baseline gap-1.5">
        <span className="sr-only">{mailbox === 'inbox' ? 'From' : 'To'} </span>
        {isNamedByAddress(party) ? null : <Name className="min-w-0 truncate font-medium">{party.display_name}</Name>}
        <span className={`max-w-2/3 shrink-0 truncate ${isNamedByAddress(party) ? 'font-medium' : 'text-sm text-soft'}`}>
          {addressOf(party)}
        </span>
      </span>
      <span className="flex min-w-0 items-center gap-2 max-md:col-span-2 max-md:row-start-2">
        {type !== null ? (
          <Badge>
            <Name>{type.slice(0, 24)}</Name>
          </Badge>
        ) : null}
        <span className="min-w-0 truncate">
          {subject !== null ? <Name className="font-medium">{subject}</Name> : null} <bdi className="text-soft">{note}</bdi>
          {subject === null && note === '' ? <span className="text-soft">No subject</span> : null}
        </span>
      </span>
      <span className="flex items-center justify-end gap-2.5 text-sm text-soft max-md:col-start-2 max-md:row-start-1">
        {isFromNonMember ? <Badge>Sent by a non-member</Badge> : null}
        {verdict === 'failed' ? <Badge tone="bad">Schema failed</Badge> : null}
        {hasJson ? <Braces className="size-3.5" aria-label="With JSON" /> : null}
        {files > 0 ? <Paperclip className="size-3.5" aria-label={`With ${files} ${files === 1 ? 'file' : 'files'}`} /> : null}
        <Time at={at} />
      </span>
    </Link>
  );
}
