import { useQuery } from '@tanstack/react-query';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import type { Receipt } from '../../api/schema.ts';
import { checkReceipt } from './check.ts';

/** Whether the content hash is that of what is shown, found out here and not by the service. */
export function Whole({ receipt }: { receipt: Receipt }) {
  const { data, error } = useQuery({
    queryKey: ['', 'whole', receipt],
    queryFn: ({ signal }) => checkReceipt(receipt, signal),
    retry: false,
  });
  const isBad = error !== null || data?.isWhole === false;
  return (
    // As high before it is known as after.
    <div role="status" className="mb-6 flex min-h-12 gap-2.5">
      {isBad ? <ShieldAlert className="mt-0.5 size-5 shrink-0 text-bad" aria-hidden /> : null}
      {data?.isWhole ? <ShieldCheck className="mt-0.5 size-5 shrink-0 text-good" aria-hidden /> : null}
      {data || error ? (
        <p className="text-soft">
          <span className={`font-medium ${isBad ? 'text-bad' : 'text-good'}`}>
            {error ? 'The receipt could not be checked.' : data?.isWhole ? 'The receipt is whole.' : 'The receipt is not whole.'}
          </span>{' '}
          {error
            ? 'Load the page anew.'
            : data?.isWhole
              ? inWords(data.hashedLater)
              : 'Its content hash is another than that of what it says.'}
        </p>
      ) : null}
    </div>
  );
}

function inWords(hashedLater: number): string {
  const covered = 'Your browser has computed the content hash from what is shown here, and it is the same.';
  if (hashedLater === 0) return covered;
  const files = hashedLater === 1 ? 'The hash of the largest file' : `The hashes of the ${hashedLater} largest files`;
  return `${covered} ${files} came after the delivery, and ${hashedLater === 1 ? 'is' : 'are'} not part of it.`;
}
