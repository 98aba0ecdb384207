import { useQuery } from '@tanstack/react-query';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AnyReceipt } from '../../api/schema.ts';
import { checkReceipt, type IntegrityResult } from './check.ts';
import { ProofState } from './proof-state.tsx';
import type { Proof, ProofQuery } from './use-proof.ts';

/** The verdict of the browser: whether the content hash is that of this receipt, and whether the log has it. */
export function Integrity({ receipt, proof }: { receipt: AnyReceipt; proof: ProofQuery }) {
  const isFull = !('detail' in receipt);
  const content = useQuery({
    queryKey: ['', 'integrity', receipt],
    queryFn: ({ signal }) => ('detail' in receipt ? null : checkReceipt(receipt, signal)),
    retry: false,
  });
  const verdict = verdictOf(content.data, proof.data, content.error ?? proof.error);
  return (
    // The height must not change with the check.
    <div
      role="status"
      className={`mb-6 flex min-h-22 items-start gap-3 rounded-xl px-5 py-4 print:border print:border-line ${BACKGROUNDS[verdict]}`}
    >
      {verdict === 'bad' || verdict === 'failed' ? <ShieldAlert className="mt-0.5 size-6 shrink-0 text-bad" aria-hidden /> : null}
      {verdict === 'good' ? <ShieldCheck className="mt-0.5 size-6 shrink-0 text-good" aria-hidden /> : null}
      <div className="min-w-0">
        {verdict === 'good' ? (
          <Line title="Verified." tone="text-good">
            {isFull ? verifiedText(content.data) : 'Your browser has checked that the content hash is in the log,'} by the keys that{' '}
            {location.host} publishes.
          </Line>
        ) : null}
        {verdict === 'bad' ? (
          <Line title="Not verified." tone="text-bad">
            {content.data?.isIntact === false ? 'The content hash does not match this receipt.' : failureOf(proof.data)}
          </Line>
        ) : null}
        {verdict === 'failed' ? (
          <Line title="Couldn’t verify the receipt." tone="text-bad">
            {proof.error && !content.error ? proof.error.message : 'Reload the page.'}
          </Line>
        ) : null}
        {verdict === 'open' && proof.data ? (
          <Line title={proof.data.kind === 'pending' ? 'Delivered.' : 'Delivered, without a proof.'} tone="text-ink">
            {isFull ? contentText(content.data) : 'The sender shows a minimal receipt.'}
          </Line>
        ) : null}
        <ProofState proof={proof.data} />
      </div>
    </div>
  );
}

type Verdict = 'checking' | 'open' | 'good' | 'bad' | 'failed';

const BACKGROUNDS: Record<Verdict, string> = {
  checking: 'bg-tint',
  open: 'bg-tint',
  good: 'bg-good-tint',
  bad: 'bg-bad-tint',
  failed: 'bg-bad-tint',
};

/**
 * Only the log proves something: a matching content hash only shows that the receipt is consistent. A minimal receipt (null) has nothing to compare.
 */
function verdictOf(content: IntegrityResult | null | undefined, proof: Proof | undefined, error: Error | null): Verdict {
  if (content?.isIntact === false || (proof?.kind === 'checked' && proof.report.failure !== undefined)) return 'bad';
  if (error) return 'failed';
  if (content === undefined || proof === undefined) return 'checking';
  return proof.kind === 'checked' ? 'good' : 'open';
}

function failureOf(proof: Proof | undefined): string {
  return (proof?.kind === 'checked' && proof.report.failure) || '';
}

function Line({ title, tone, children }: { title: string; tone: string; children: ReactNode }) {
  return (
    <p className="text-soft">
      <span className={`text-lg font-semibold ${tone}`}>{title}</span> {children}
    </p>
  );
}

function verifiedText(content: IntegrityResult | null | undefined): string {
  return `${contentText(content)} It is in the log,`;
}

function contentText(content: IntegrityResult | null | undefined): string {
  const covered = 'Your browser computed the content hash from this receipt, and it matches.';
  const hashedLater = content?.hashedLater ?? 0;
  if (hashedLater === 0) return covered;
  const files = hashedLater === 1 ? 'The hash of the largest file was' : `The hashes of the ${hashedLater} largest files were`;
  return `${covered} ${files} computed after delivery and ${hashedLater === 1 ? 'is' : 'are'} not part of it.`;
}
