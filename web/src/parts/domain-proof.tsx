import { BadgeCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { useReading } from '../api/queries.ts';
import type { Party } from '../api/schema.ts';

interface DomainProofProps {
  party: Party;
  none?: ReactNode;
}

/** The verified domains of a business, which say more than the name that it chose. */
export function DomainProof({ party, none = 'No verified domain' }: DomainProofProps) {
  return party.kind === 'handle' ? <OfBusiness handle={party.handle} none={none} /> : null;
}

function OfBusiness({ handle, none }: { handle: string; none: ReactNode }) {
  const { data } = useReading('GET /v1/public/{handle}', { path: { handle } });
  if (!data) return null;
  if (data.verified_domains.length === 0) return <span className="text-sm text-soft empty:hidden">{none}</span>;
  return (
    <span className="inline-flex items-center gap-1 text-sm text-good">
      <BadgeCheck className="size-3.5 shrink-0" aria-hidden />
      Domain verified: {data.verified_domains.join(', ')}
    </span>
  );
}
