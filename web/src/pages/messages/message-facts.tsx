import type { Actor } from '../../api/schema.ts';
import { SignatureFact } from '../../parts/signature-fact.tsx';
import { Name } from '../../ui/name.tsx';
import { Copyable, Fact, Facts, Time } from '../../ui/parts.tsx';
import type { Message } from './thread-messages.ts';

const KINDS: Record<Actor['kind'], string> = { agent: 'Agent', person: 'Person', mailbox: 'Mailbox' };

/** The verified fact: for an agent, the key of the business, and for people and mailboxes, the email address. */
const VERIFIED: Record<Actor['provider'], string> = {
  api_key: 'only its API key is verified',
  email: 'email verified with a one-time code',
  google: 'email verified by Google',
  microsoft: 'signed in with Microsoft',
  oidc: 'email verified by single sign-on',
  smtp: 'email verified by its domain',
};

export function MessageFacts({ message }: { message: Message }) {
  const { id, thread_id, from, json_sha256, json_bytes_sha256, content_hash, received_at, receipt_url, in_reply_to } = message;
  const { kind, name, email, provider, verified } = from.actor;
  return (
    <Facts>
      <Fact name="Sent by">
        <span className="text-ink">
          {KINDS[kind]} <Name>{name}</Name>
          {email === null || email === name ? null : (
            <>
              {' '}
              <Name>{email}</Name>
            </>
          )}
        </span>
        , {verified ? VERIFIED[provider] : 'email not verified'}
      </Fact>
      {kind === 'agent' ? <SignatureFact message={message} /> : null}
      <Fact name="Delivered">
        <Time at={received_at} isExact />
      </Fact>
      <Fact name="Message id">
        <Copyable text={id} label="message id" />
      </Fact>
      <Fact name="Thread id">
        <Copyable text={thread_id} label="thread id" />
      </Fact>
      {in_reply_to === null ? null : (
        <Fact name="In reply to">
          <Copyable text={in_reply_to} label="id of the message replied to" />
        </Fact>
      )}
      <Fact name="Content hash">
        <Copyable text={content_hash} label="content hash" />
      </Fact>
      {json_sha256 === null ? null : (
        <Fact name="JSON hash">
          <Copyable text={json_sha256} label="JSON hash" />
        </Fact>
      )}
      {json_bytes_sha256 === null ? null : (
        <Fact name="JSON text hash">
          <Copyable text={json_bytes_sha256} label="JSON text hash" />
        </Fact>
      )}
      <Fact name="Receipt">
        <Copyable text={receipt_url} label="receipt link" />
      </Fact>
    </Facts>
  );
}
