import { Check, CircleAlert, CircleCheck, CircleX, Minus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AnyReceipt } from '../../api/schema.ts';
import { Name, visible } from '../../ui/name.tsx';
import type { HashFinding, ProofFinding } from './check.ts';
import { Mono } from './mono.tsx';
import type { Ended } from './use-check.ts';
import type { Check as ProofCheck } from './verify-proof.ts';

/** What a check has found, or why it failed. */
export function Outcome({ receipt, state }: { receipt: AnyReceipt; state: Ended }) {
  if (state.kind === 'failed') return <Verdict tone="warn" title={state.message} />;
  return 'proof' in state.finding ? <FoundProof proof={state.finding.proof} /> : <Found receipt={receipt} finding={state.finding} />;
}

function Found({ receipt, finding: { name, hash, bytesHash, isJson, unreadable } }: { receipt: AnyReceipt; finding: HashFinding }) {
  if (unreadable !== undefined)
    return (
      <Verdict tone="warn" title="Not valid JSON">
        {unreadable}
      </Verdict>
    );
  if (isJson && hash === receipt.json_sha256)
    return (
      <Verdict tone="good" title="Match: this JSON was delivered" hash={hash}>
        The hash of its canonical form (RFC 8785) is in the receipt{WRITTEN[writtenLike(receipt, bytesHash)]}
      </Verdict>
    );
  if (!isJson && 'detail' in receipt && receipt.files.some(({ sha256 }) => sha256 === hash))
    return (
      <Verdict tone="good" title="Match: this file was delivered" hash={hash}>
        Its hash is in the receipt.
      </Verdict>
    );
  const same = 'detail' in receipt ? [] : receipt.files.filter(({ sha256 }) => sha256 === hash);
  if (!isJson && same.length > 0)
    return (
      <Verdict tone="good" title="Match: this file was delivered" hash={hash}>
        Identical to{' '}
        {same.map(({ id, filename }, at) => (
          <span key={id}>
            {at === 0 ? '' : ', '}
            <Name className="font-medium text-ink">{filename}</Name>
          </span>
        ))}
        .
      </Verdict>
    );
  const isUnsure = !isJson && receipt.files.some(({ sha256 }) => sha256 === null);
  return (
    <Verdict tone="bad" title={isJson ? 'No match: this JSON was not delivered' : 'No match: this file was not delivered'} hash={hash}>
      {isJson ? null : <Name className="text-ink">{name}</Name>}{' '}
      {isJson
        ? 'It differs from the delivered JSON, or belongs to another message.'
        : 'is a different file, or was changed after delivery.'}
      {isUnsure ? ' Some files of this delivery are not hashed yet: check again later.' : ''}
    </Verdict>
  );
}

const WRITTEN = {
  same: ', and so is the hash of its text: it was sent byte for byte like this.',
  other: '. It was written in another way: spaces, order of keys, digits or repeated keys differ.',
  unknown: '.',
};

/** Receipts from before the hash of the text was recorded have none. */
function writtenLike({ json_bytes_sha256 }: AnyReceipt, bytesHash: string | undefined): keyof typeof WRITTEN {
  if (json_bytes_sha256 === null) return 'unknown';
  return json_bytes_sha256 === bytesHash ? 'same' : 'other';
}

/** The result for a dropped proof. A proof of another message can be good, but proves nothing about this one. */
function FoundProof({ proof }: { proof: ProofFinding['proof'] }) {
  if ('unusable' in proof)
    return (
      <Verdict tone="warn" title="Not a usable proof">
        {proof.unusable}
      </Verdict>
    );
  if (!proof.isOfReceipt) return <Verdict tone="bad" title="No match: a proof of another message" />;
  return (
    <Verdict tone={proof.isVerified ? 'good' : 'bad'} title={proof.isVerified ? 'Verified: a proof of this message' : 'Not verified'}>
      {proof.isVerified ? `By the keys that ${location.host} publishes.` : null}
      <Checks checks={proof.checks} />
    </Verdict>
  );
}

const STATES = {
  verified: ['text-good', Check, 'Verified:'],
  failed: ['text-bad', X, 'Failed:'],
  unchecked: ['text-soft', Minus, 'Not checked:'],
} as const;

function Checks({ checks }: { checks: ProofCheck[] }) {
  return (
    <ul className="mt-1 space-y-1">
      {checks.map(({ part, state, text }) => {
        const [colour, Icon, label] = STATES[state];
        return (
          <li key={part + text} className="flex gap-2">
            <Icon className={`mt-1 size-4 shrink-0 ${colour}`} role="img" aria-label={label} />
            <span className="min-w-0 wrap-anywhere">{visible(text)}</span>
          </li>
        );
      })}
    </ul>
  );
}

const TONES = {
  good: ['bg-good-tint', 'text-good', CircleCheck],
  warn: ['bg-warn-tint', 'text-warn', CircleAlert],
  bad: ['bg-bad-tint', 'text-bad', CircleX],
} as const;

function Verdict({
  tone,
  title,
  hash,
  children,
}: {
  tone: keyof typeof TONES;
  title: string;
  hash?: string | undefined;
  children?: ReactNode;
}) {
  const [background, colour, Icon] = TONES[tone];
  return (
    <div className={`flex gap-3 rounded-xl px-4 py-3 ${background}`}>
      <Icon className={`mt-0.5 size-5 shrink-0 ${colour}`} aria-hidden />
      <div className="min-w-0">
        <p className={`font-medium ${colour}`}>{title}</p>
        {children !== undefined ? <div className="text-soft">{children}</div> : null}
        {hash === undefined ? null : (
          <p className="mt-1">
            <Mono>{hash}</Mono>
          </p>
        )}
      </div>
    </div>
  );
}
