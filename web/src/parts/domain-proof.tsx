import { BadgeCheck } from 'lucide-react';
import { useReading } from '../api/queries.ts';
import type { Party } from '../api/schema.ts';

/** The verified domains of a business, which say more than the name that it chose. */
export function DomainProof({ party }: { party: Party }) {
  return party.kind === 'handle' ? <OfBusiness handle={party.handle} /> : null;
}

function OfBusiness({ handle }: { handle: string }) {
  const { data } = useReading('GET /v1/public/{handle}', { path: { handle } });
  if (!data) return null;
  if (data.verified_domains.length === 0) return <span className="text-sm text-soft">No verified domain</span>;
  return (
    <span className="inline-flex items-center gap-1 text-sm text-good">
      <BadgeCheck className="size-3.5 shrink-0" aria-hidden />
      Domain verified: {data.verified_domains.join(', ')}
    </span>
  );
}
