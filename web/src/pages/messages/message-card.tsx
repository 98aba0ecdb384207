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
import { useOutsiders } from './outsiders.ts';
import { type Message, useWholeMessage } from './thread-messages.ts';

interface MessageCardProps {
  message: Message;
  isOpen: boolean;
  /** The one that was asked for. */
  isMarked: boolean;
  onToggle(): void;
  onReply(): void;
}

export function MessageCard({ message, isOpen, isMarked, onToggle, onReply }: MessageCardProps) {
  const { id, from, to, type, subject, note, json_sha256, files, received_at, receipt_url } = message;
  const titleId = useId();
  const isOutsider = useOutsiders();
  const business = useActiveBusiness();
  const isOurs = from.party.kind === 'handle' && from.party.handle === business;
  return (
    <article
      aria-labelledby={titleId}
      aria-current={isMarked ? 'true' : undefined}
      className={`rounded-xl border ${isMarked ? 'border-accent' : 'border-line'}`}
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
          <By actor={from.actor} party={from.party} isOutsider={isOurs && isOutsider(from.actor)} />
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
            <p className="text-soft">There is nothing in this message but its type.</p>
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
  const whole = useWholeMessage(message);
  return (
    <States of={whole} rows={3}>
      {({ json = 'null' }) => <JsonView text={json} name={message.id} validation={message.validation} />}
    </States>
  );
}

const PROVED: Record<Actor['provider'], string> = {
  api_key: 'by API key',
  email: 'signed in by e-mail',
  google: 'signed in with Google',
  microsoft: 'signed in with Microsoft',
  oidc: 'signed in with their company’s account',
  smtp: 'by mail',
};
const KINDS: Record<Actor['kind'], string> = { agent: 'Agent', person: 'Person', mailbox: 'Mailbox' };

/** What is verified: for an agent that its key is one of the business, for people and mailboxes that the mailbox is theirs. */
const VERIFIED: Record<Actor['provider'], string> = {
  api_key: 'key verified',
  email: 'mailbox verified',
  google: 'mailbox verified',
  microsoft: 'mailbox verified',
  oidc: 'mailbox verified',
  smtp: 'mailbox verified',
};

interface Signed {
  actor: Actor;
  party: Party;
  isOutsider: boolean;
}

/** Who did the sending, how that is known, and what is known of the business. */
function By({ actor: { kind, name, email, verified, provider }, party, isOutsider }: Signed) {
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 text-sm text-soft">
      {KINDS[kind]} <Name className="text-ink">{name}</Name>
      {email !== null && email !== name ? <Name>{email}</Name> : null}
      <span>· {PROVED[provider]}</span>
      {verified ? (
        <span className="inline-flex items-center gap-1 text-good">
          <BadgeCheck className="size-3.5" aria-hidden />
          {VERIFIED[provider]}
        </span>
      ) : (
        <span className="inline-flex items-center gap-1 text-warn">
          <BadgeX className="size-3.5" aria-hidden />
          mailbox not verified
        </span>
      )}
      <DomainProof party={party} />
      {isOutsider ? <Badge>Not a member of your business</Badge> : null}
    </p>
  );
}

const SHORT_CHARS = 1_500;
const SHORT_LINES = 20;

/** Text, whatever stands in it. A long one is folded. */
function Note({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const short = text.slice(0, SHORT_CHARS).split('\n').slice(0, SHORT_LINES).join('\n');
  const isLong = short.length < text.length;
  return (
    <div>
      <p dir="auto" className="max-w-prose break-words whitespace-pre-wrap">
        {isLong && !isWhole ? `${short}…` : text}
      </p>
      {isLong ? (
        <button type="button" onClick={() => setWhole(!isWhole)} className="mt-1 rounded text-accent underline">
          {isWhole ? 'Show less' : 'Show all'}
        </button>
      ) : null}
    </div>
  );
}
