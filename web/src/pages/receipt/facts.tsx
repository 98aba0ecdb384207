import type { ReactNode } from 'react';
import type { Actor, AnyReceipt, Receipt } from '../../api/schema.ts';
import { DomainProof } from '../../parts/domain-proof.tsx';
import { SignatureFact } from '../../parts/signature-fact.tsx';
import { fullTime } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { Badge, Fact, Facts, PartyName } from '../../ui/parts.tsx';
import { Mono } from './mono.tsx';

export function Delivered({ receipt: { subject, type, note, json_sha256 } }: { receipt: Receipt }) {
  return (
    <section aria-label="What was delivered" className="mb-10 rounded-xl border border-line px-5 py-5 print:mb-6">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className={`min-w-0 text-lg font-semibold wrap-anywhere ${subject === null ? 'text-soft' : ''}`}>
          <Name>{subject ?? 'No subject'}</Name>
        </h2>
        {type === null ? null : (
          <Badge>
            <Name className="max-w-60 truncate">{type}</Name>
          </Badge>
        )}
      </div>
      {note === null ? null : (
        <p dir="auto" className="mt-3 wrap-anywhere whitespace-pre-wrap">
          {note}
        </p>
      )}
      {json_sha256 === null ? null : <p className="mt-3 text-sm text-soft">Includes JSON, which only the two parties can read.</p>}
    </section>
  );
}

export function Minimal() {
  return (
    <section aria-label="What was delivered" className="mb-10 rounded-xl border border-line px-5 py-5 print:mb-6">
      <p className="text-soft">
        The sender shows only the parties, the time and the hashes. The content hash covers more, so only the parties can verify it. You can
        still compare a file or JSON below.
      </p>
    </section>
  );
}

export function DeliveryFacts({ receipt }: { receipt: AnyReceipt }) {
  const { from, to, received_at } = receipt;
  return (
    <Facts>
      <Fact name="From">
        <PartyName party={from.party} />
        <br />
        <DomainProof party={from.party} />
      </Fact>
      {'actor' in from ? (
        <Fact name="Sent by">
          <Sender actor={from.actor} />
        </Fact>
      ) : null}
      {from.party.kind === 'handle' && (!('actor' in from) || from.actor.kind === 'agent') ? <SignatureFact message={receipt} /> : null}
      <Fact name="To">
        <PartyName party={to.party} segment={'segment' in to ? to.segment : null} />
      </Fact>
      <Fact name="Delivered">
        <time dateTime={received_at}>{fullTime(new Date(received_at))}</time>
        <br />
        <span className="text-soft">{received_at.replace('T', ' ').replace('Z', ' UTC')}</span>
      </Fact>
    </Facts>
  );
}

const METHODS: Record<Actor['provider'], string> = {
  api_key: 'Agent of the business. Only its API key is verified.',
  email: 'Signed in with a code sent to this address',
  google: 'Signed in with Google',
  microsoft: 'Signed in with Microsoft',
  oidc: 'Signed in with single sign-on',
  smtp: 'Sent an email that its domain authenticates (SPF or DKIM, and DMARC)',
};

function Sender({ actor: { name, email, provider, verified } }: { actor: Actor }) {
  return (
    <>
      <Name>{name}</Name>
      {email === null || email === name ? null : (
        <>
          {' '}
          <Name className="text-soft">{email}</Name>
        </>
      )}
      <br />
      <span className="text-soft">
        {METHODS[provider]}
        {verified ? '' : '; the address is not verified'}
      </span>
    </>
  );
}

const VERDICTS: Record<Receipt['validation']['status'], string> = {
  passed: 'Passed the schema of the recipient',
  failed: 'Failed the schema of the recipient',
  not_applicable: '',
};

export function Identifiers({ receipt, children }: { receipt: AnyReceipt; children?: ReactNode }) {
  const { content_hash, json_sha256, json_bytes_sha256, id, files } = receipt;
  return (
    <Facts>
      {children}
      <Fact name="Content hash">
        <Mono>{content_hash}</Mono>
      </Fact>
      <Fact name="JSON hash">{json_sha256 === null ? <span className="text-soft">None</span> : <Mono>{json_sha256}</Mono>}</Fact>
      {json_bytes_sha256 === null ? null : (
        <Fact name="JSON text hash">
          <Mono>{json_bytes_sha256}</Mono>
        </Fact>
      )}
      <Fact name="Message id">
        <Mono>{id}</Mono>
      </Fact>
      {'detail' in receipt ? (
        files.map(({ sha256 }, at) => (
          <Fact key={String(at)} name="File hash">
            {sha256 === null ? <span className="text-soft">Not computed yet</span> : <Mono>{sha256}</Mono>}
          </Fact>
        ))
      ) : (
        <More receipt={receipt} />
      )}
    </Facts>
  );
}

function More({ receipt: { thread_id, in_reply_to, idempotency_key, validation } }: { receipt: Receipt }) {
  return (
    <>
      {validation.status === 'not_applicable' ? null : <Fact name="Schema check">{VERDICTS[validation.status]}</Fact>}
      <Fact name="Thread id">
        <Mono>{thread_id}</Mono>
      </Fact>
      {in_reply_to === null ? null : (
        <Fact name="In reply to">
          <Mono>{in_reply_to}</Mono>
        </Fact>
      )}
      {idempotency_key === undefined ? null : (
        <Fact name="Idempotency key">
          <Mono>{idempotency_key}</Mono>
        </Fact>
      )}
    </>
  );
}
