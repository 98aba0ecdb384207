import { ArrowRight, BadgeCheck, BadgeX, ChevronRight, Receipt } from 'lucide-react';
import { useId, useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import type { Actor, Party } from '../../api/schema.ts';
import { JsonView } from '../../json/json-view.tsx';
import { DomainProof } from '../../parts/domain-proof.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge, CopyButton, PartyName, Time } from '../../ui/parts.tsx';
import { States } from '../../ui/states.tsx';
import { MessageFiles } from './message-files.tsx';
import { MessageMenu } from './message-menu.tsx';
import { useNonMembers } from './non-members.ts';
import { type Message, useFullMessage } from './thread-messages.ts';

interface MessageCardProps {
  message: Message;
  isOpen: boolean;
  /** The address of the page links to it. */
  isLinked: boolean;
  onToggle(): void;
  onReply(): void;
}

export function MessageCard({ message, isOpen, isLinked, onToggle, onReply }: MessageCardProps) {
  const { id, from, to, type, subject, note, json_sha256, files, received_at, receipt_url } = message;
  const titleId = useId();
  const isNonMember = useNonMembers();
  const business = useActiveBusiness();
  const isOurs = from.party.kind === 'handle' && from.party.handle === business;
  return (
    <article
      aria-labelledby={titleId}
      aria-current={isLinked ? 'true' : undefined}
      className={`rounded-xl border ${isLinked ? 'border-accent' : 'border-line'}`}
    >
      <div className="flex items-start gap-2 p-2">
        <button
          type="button"
          id={titleId}
          aria-expanded={isOpen}
          onClick={onToggle}
          className="flex min-w-0 grow items-center gap-2 rounded-lg py-1 pr-2 pl-1 text-left"
        >
          <ChevronRight className={`mt-0.5 size-4 shrink-0 self-start text-soft ${isOpen ? 'rotate-90' : ''}`} aria-hidden />
          <span className="flex min-w-0 grow flex-wrap items-center gap-x-2">
            <PartyName party={from.party} />
            <span className={`inline-flex min-w-0 items-start gap-2 ${isOpen ? '' : 'max-sm:hidden'}`}>
              <ArrowRight className="mt-1 size-3.5 shrink-0 text-soft" aria-label="to" />
              <PartyName party={to.party} segment={to.segment} />
            </span>
            {isOpen ? null : (
              <Name className="min-w-0 grow basis-40 truncate text-soft">{subject ?? note?.replaceAll(/\s+/g, ' ') ?? type}</Name>
            )}
          </span>
        </button>
        <span className="shrink-0 self-start py-1.5 text-sm text-soft">
          <Time at={received_at} />
        </span>
        <div className="shrink-0">
          <MessageMenu message={message} onReply={onReply} />
        </div>
      </div>
      {isOpen ? (
        <div className="flex flex-col gap-4 px-4 pb-4 sm:px-5">
          <SenderLine actor={from.actor} party={from.party} isNonMember={isOurs && isNonMember(from.actor)} />
          {subject !== null || type !== null ? (
            <p className="flex flex-wrap items-center gap-2">
              {type !== null ? (
                <Badge>
                  <Name>{type}</Name>
                </Badge>
              ) : null}
              {subject !== null ? <Name className="min-w-0 text-lg font-medium">{subject}</Name> : null}
            </p>
          ) : null}
          {note !== null && note !== '' ? <Note text={note} /> : null}
          {json_sha256 !== null ? <MessageJson message={message} /> : null}
          {files.length > 0 ? <MessageFiles files={files} /> : null}
          {note === null && json_sha256 === null && files.length === 0 && subject === null ? (
            <p className="text-soft">This message has only a type.</p>
          ) : null}
          <p className="flex flex-wrap items-center gap-x-1 text-sm text-soft">
            <Receipt className="mr-1 size-4" aria-hidden />
            <a href={receipt_url} target="_blank" rel="noreferrer" className="rounded underline hover:text-ink">
              Receipt
            </a>
            <CopyButton text={receipt_url} label="Copy receipt link" isIcon />
            <span className="grow" />
            <code className="font-mono text-xs">{id}</code>
            <CopyButton text={id} label="Copy message id" isIcon />
          </p>
        </div>
      ) : null}
    </article>
  );
}

function MessageJson({ message }: { message: Message }) {
  const full = useFullMessage(message);
  return (
    <States of={full} rows={3}>
      {({ json = 'null' }) => <JsonView text={json} name={message.id} validation={message.validation} />}
    </States>
  );
}

const METHODS: Record<Actor['provider'], string> = {
  api_key: 'by API key',
  email: 'signed in by email',
  google: 'signed in with Google',
  microsoft: 'signed in with Microsoft',
  oidc: 'signed in with single sign-on',
  smtp: 'by email',
};
const KINDS: Record<Actor['kind'], string> = { agent: 'Agent', person: 'Person', mailbox: 'Mailbox' };

/** For an agent the key of the business is verified, for people and mailboxes the email address. */
const VERIFIED: Record<Actor['provider'], string> = {
  api_key: 'key verified',
  email: 'email verified',
  google: 'email verified',
  microsoft: 'email verified',
  oidc: 'email verified',
  smtp: 'email verified',
};

interface SenderProps {
  actor: Actor;
  party: Party;
  isNonMember: boolean;
}

/** Who sent the message, how the sender is verified, and the verified domains of the business. */
function SenderLine({ actor: { kind, name, email, verified, provider }, party, isNonMember }: SenderProps) {
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 text-sm text-soft">
      {KINDS[kind]} <Name className="text-ink">{name}</Name>
      {email !== null && email !== name ? <Name>{email}</Name> : null}
      <span>· {METHODS[provider]}</span>
      {verified ? (
        <span className="inline-flex items-center gap-1 text-good">
          <BadgeCheck className="size-3.5" aria-hidden />
          {VERIFIED[provider]}
        </span>
      ) : (
        <span className="inline-flex items-center gap-1 text-warn">
          <BadgeX className="size-3.5" aria-hidden />
          email not verified
        </span>
      )}
      <DomainProof party={party} />
      {isNonMember ? <Badge>Not a member</Badge> : null}
    </p>
  );
}

const SHORT_CHARS = 1_500;
const SHORT_LINES = 20;

/** Plain text. A long note is folded. */
function Note({ text }: { text: string }) {
  const [isUnfolded, setUnfolded] = useState(false);
  const short = text.slice(0, SHORT_CHARS).split('\n').slice(0, SHORT_LINES).join('\n');
  const isLong = short.length < text.length;
  return (
    <div>
      <p dir="auto" className="max-w-prose break-words whitespace-pre-wrap">
        {isLong && !isUnfolded ? `${short}…` : text}
      </p>
      {isLong ? (
        <button type="button" onClick={() => setUnfolded(!isUnfolded)} className="mt-1 rounded text-accent underline">
          {isUnfolded ? 'Show less' : 'Show more'}
        </button>
      ) : null}
    </div>
  );
}
