import { useQuery } from '@tanstack/react-query';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import type { Receipt } from '../../api/schema.ts';
import { checkReceipt } from './check.ts';

/** Recomputes the content hash in the browser, so that it proves more than the word of the service. */
export function Integrity({ receipt }: { receipt: Receipt }) {
  const { data, error } = useQuery({
    queryKey: ['', 'integrity', receipt],
    queryFn: ({ signal }) => checkReceipt(receipt, signal),
    retry: false,
  });
  const isBad = error !== null || data?.isIntact === false;
  return (
    // The same height before and after the check.
    <div
      role="status"
      className={`mb-6 flex min-h-18 items-center gap-3 rounded-xl px-5 py-3 print:border print:border-line ${isBad ? 'bg-bad-tint' : data ? 'bg-good-tint' : 'bg-tint'}`}
    >
      {isBad ? <ShieldAlert className="size-6 shrink-0 text-bad" aria-hidden /> : null}
      {data?.isIntact ? <ShieldCheck className="size-6 shrink-0 text-good" aria-hidden /> : null}
      {data || error ? (
        <p className="text-soft">
          <span className={`text-lg font-semibold ${isBad ? 'text-bad' : 'text-good'}`}>
            {error ? 'Couldn’t verify the receipt.' : data?.isIntact ? 'Verified.' : 'Not verified.'}
          </span>{' '}
          {error ? 'Reload the page.' : data?.isIntact ? verifiedText(data.hashedLater) : 'The content hash does not match this receipt.'}
        </p>
      ) : null}
    </div>
  );
}

function verifiedText(hashedLater: number): string {
  const covered = 'Your browser computed the content hash from this receipt, and it matches.';
  if (hashedLater === 0) return covered;
  const files = hashedLater === 1 ? 'The hash of the largest file was' : `The hashes of the ${hashedLater} largest files were`;
  return `${covered} ${files} computed after delivery and ${hashedLater === 1 ? 'is' : 'are'} not part of it.`;
}
