import { ArrowRight, BadgeCheck, BadgeX, ChevronRight, Receipt } from 'lucide-react';
import { useId, useState } from 'react';
import type { Actor } from '../../api/schema.ts';
import { JsonView } from '../../json/json-view.tsx';
import { Badge, CopyButton, PartyName, Time } from '../../ui/parts.tsx';
import { States } from '../../ui/states.tsx';
import { MessageFiles } from './message-files.tsx';
import { MessageMenu } from './message-menu.tsx';
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
              <PartyName party={to.party} />
            </span>
            {isOpen ? null : <bdi className="min-w-0 grow basis-40 truncate text-soft">{subject ?? note ?? type}</bdi>}
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
          <By actor={from.actor} />
          {subject !== null || type !== null ? (
            <p className="flex flex-wrap items-center gap-2">
              {type !== null ? <Badge>{type}</Badge> : null}
              {subject !== null ? <bdi className="min-w-0 text-lg font-medium">{subject}</bdi> : null}
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
    <States of={whole} rows={2}>
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

/** Who did the sending, and how that is known. */
function By({ actor: { kind, name, email, verified, provider } }: { actor: Actor }) {
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 text-sm text-soft">
      {KINDS[kind]} <bdi className="text-ink">{name}</bdi>
      {email !== null && email !== name ? <bdi>{email}</bdi> : null}
      <span>· {PROVED[provider]}</span>
      {verified ? (
        <span className="inline-flex items-center gap-1 text-good">
          <BadgeCheck className="size-3.5" aria-hidden />
          verified
        </span>
      ) : (
        <span className="inline-flex items-center gap-1 text-warn">
          <BadgeX className="size-3.5" aria-hidden />
          not verified
        </span>
      )}
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
