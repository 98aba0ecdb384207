import { ArrowRight, BadgeX, ChevronRight } from 'lucide-react';
import { lazy, Suspense, useId, useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { retried } from '../../api/lazy.ts';
import type { Actor } from '../../api/schema.ts';
import { TypeBadge } from '../../parts/type-badge.tsx';
import { Name } from '../../ui/name.tsx';
import { addressOf, Badge, PartyName, Time } from '../../ui/parts.tsx';
import { useIsPrinting } from '../../ui/printing.ts';
import { Loading } from '../../ui/states.tsx';
import { Acknowledgements } from './acknowledgements.tsx';
import { MessageDetails } from './message-details.tsx';
import { MessageMenu } from './message-menu.tsx';
import { useNonMembers } from './non-members.ts';
import type { SenderNews } from './sender-news.ts';
import { SenderProof } from './sender-proof.tsx';
import type { Message } from './thread-messages.ts';

const MessageJson = lazy(retried(async () => ({ default: (await import('./message-json.tsx')).MessageJson })));
const MessageFiles = lazy(retried(async () => ({ default: (await import('./message-files.tsx')).MessageFiles })));
const Correction = lazy(retried(async () => ({ default: (await import('./correction.tsx')).Correction })));

interface MessageCardProps {
  message: Message;
  threadSubject: string | undefined;
  news: SenderNews | undefined;
  isOpen: boolean;
  isLinked: boolean;
  onToggle(): void;
  onReply(): void;
}

export function MessageCard(props: MessageCardProps) {
  const { message, threadSubject, isOpen, isLinked, onToggle, onReply } = props;
  const { from, to, type, subject, note, received_at } = message;
  const titleId = useId();
  const business = useActiveBusiness();
  const isOurs = from.party.kind === 'handle' && from.party.handle === business;
  return (
    <article
      aria-labelledby={titleId}
      aria-current={isLinked ? 'true' : undefined}
      className={`rounded-xl border ${isOurs ? 'border-accent/20 bg-own' : 'border-line bg-paper'} ${isLinked ? 'animate-flash' : ''}`}
    >
      <div className="flex items-start gap-2 p-2">
        <button
          type="button"
          id={titleId}
          aria-expanded={isOpen}
          onClick={onToggle}
          className="flex min-w-0 grow items-center gap-2 rounded-lg py-1 pr-2 pl-1 text-left"
        >
          <ChevronRight className={`mt-0.5 size-4 shrink-0 self-start text-soft print:hidden ${isOpen ? 'rotate-90' : ''}`} aria-hidden />
          <span className="flex min-w-0 grow flex-wrap items-center gap-x-2">
            {isOurs ? <span className="font-medium">You</span> : <PartyName party={from.party} />}
            <span className={`inline-flex min-w-0 items-start gap-2 text-soft ${isOpen && isOurs ? '' : 'max-sm:hidden'}`}>
              <ArrowRight className="mt-1 size-3.5 shrink-0" aria-label="to" />
              {isOurs ? (
                <PartyName party={to.party} segment={to.segment} />
              ) : to.segment === null ? (
                'you'
              ) : (
                `${addressOf(to.party)}/${to.segment}`
              )}
            </span>
            {isOpen ? null : (
              <>
                <Type type={type} />
                <Name className="min-w-0 grow basis-40 truncate text-soft">
                  {(subject !== threadSubject ? subject : null) ?? note?.replaceAll(/\s+/g, ' ') ?? ''}
                </Name>
              </>
            )}
          </span>
        </button>
        <span className="shrink-0 self-start py-1.5 text-sm text-soft">
          <Time at={received_at} />
        </span>
        <div className="shrink-0 print:hidden">
          <MessageMenu message={message} onReply={onReply} />
        </div>
      </div>
      {isOpen ? <Content {...props} isOurs={isOurs} /> : null}
    </article>
  );
}

type ContentProps = Pick<MessageCardProps, 'message' | 'threadSubject' | 'news' | 'onReply'> & { isOurs: boolean };

function Content({ message, threadSubject, news, isOurs, onReply }: ContentProps) {
  const { from, type, subject, note, json_sha256, files } = message;
  const isNonMember = useNonMembers();
  const ownSubject = subject !== null && subject !== threadSubject ? subject : null;
  const isEmpty = (note === null || note === '') && json_sha256 === null && files.length === 0 && subject === null;
  return (
    <div className="flex flex-col gap-4 px-4 pb-4 sm:pr-5 sm:pl-9">
      <SenderLine message={message} news={news} isOurs={isOurs} isNonMember={isOurs && isNonMember(from.actor)} />
      {ownSubject !== null || type !== null ? (
        <p className="flex flex-wrap items-center gap-2">
          <Type type={type} />
          {ownSubject !== null ? <Name className="min-w-0 text-lg font-medium">{ownSubject}</Name> : null}
        </p>
      ) : null}
      {note !== null && note !== '' ? <Note text={note} /> : null}
      {json_sha256 !== null ? (
        <Suspense fallback={<Loading rows={3} />}>
          <MessageJson message={message} />
        </Suspense>
      ) : null}
      {message.validation.status === 'failed' && !isOurs ? (
        <Suspense>
          <Correction message={message} onReply={onReply} />
        </Suspense>
      ) : null}
      {files.length > 0 ? (
        <Suspense fallback={<Loading rows={1} />}>
          <MessageFiles files={files} />
        </Suspense>
      ) : null}
      {isEmpty ? <p className="text-soft">{type === null ? 'This message is empty.' : 'This message has only a type.'}</p> : null}
      <Acknowledgements message={message} onReply={onReply} />
      <MessageDetails message={message} />
    </div>
  );
}

function Type({ type }: { type: string | null }) {
  if (type === null) return null;
  return <TypeBadge type={type} className="max-w-60" />;
}

const METHODS: Record<Actor['provider'], string> = {
  api_key: 'by API key',
  email: 'on the web',
  google: 'on the web, with Google',
  microsoft: 'on the web, with Microsoft',
  oidc: 'on the web, with single sign-on',
  smtp: 'by email',
};

interface SenderProps {
  message: Message;
  news: SenderNews | undefined;
  isOurs: boolean;
  isNonMember: boolean;
}

/** The actor who sent the message, and the verified domains of its party. Unverified facts are shown here. The rest is in the details. */
function SenderLine({ message, news, isOurs, isNonMember }: SenderProps) {
  const { name, email, verified, provider } = message.from.actor;
  return (
    <p className="-mt-2 flex flex-wrap items-center gap-x-1.5 text-sm text-soft">
      <Name>{email !== null && email !== name ? `${name} <${email}>` : name}</Name>
      <span>· {METHODS[provider]}</span>
      {verified ? null : (
        <span className="inline-flex items-center gap-1 text-warn">
          <BadgeX className="size-3.5" aria-hidden />
          email not verified
        </span>
      )}
      <SenderProof message={message} news={news} isOurs={isOurs} />
      {isNonMember ? <Badge>Not a member</Badge> : null}
    </p>
  );
}

const SHORT_CHARS = 1_500;
const SHORT_LINES = 20;

function Note({ text }: { text: string }) {
  const [isUnfolded, setUnfolded] = useState(false);
  const isPrinting = useIsPrinting();
  const short = text.slice(0, SHORT_CHARS).split('\n').slice(0, SHORT_LINES).join('\n');
  const isLong = short.length < text.length;
  return (
    <div className="max-w-prose">
      <p dir="auto" className="break-words whitespace-pre-wrap">
        {isLong && !isUnfolded && !isPrinting ? `${short}…` : text}
      </p>
      {isLong ? (
        <button type="button" onClick={() => setUnfolded(!isUnfolded)} className="mt-1 rounded text-accent underline print:hidden">
          {isUnfolded ? 'Show less' : 'Show more'}
        </button>
      ) : null}
    </div>
  );
}
