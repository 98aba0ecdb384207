import { useParams } from '@tanstack/react-router';
import { BadgeCheck } from 'lucide-react';
import type { ApiError } from '../../api/client.ts';
import { useReading } from '../../api/queries.ts';
import type { PublicProfile } from '../../api/schema.ts';
import { Plain } from '../../frame/plain.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Badge } from '../../ui/parts.tsx';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { AtTheDoor } from './at-the-door.tsx';

/** Where anybody writes to a business, without an account of any kind. */
export function DropPage() {
  const { handle } = useParams({ from: '/@{$handle}' });
  const { data: profile, error, refetch } = useReading('GET /v1/public/{handle}', { path: { handle } });
  if (profile) return <Found profile={profile} />;
  if (error) return <NotFound handle={handle} error={error} onRetry={() => void refetch()} />;
  return (
    <Plain title={`@${handle}`} isWide>
      <Loading />
    </Plain>
  );
}

function Found({ profile }: { profile: PublicProfile }) {
  return (
    <Plain title={profile.display_name} isWide>
      <div className="mb-8 flex flex-wrap items-center gap-2">
        <span className="mr-1 text-lg text-soft">@{profile.handle}</span>
        {profile.verified_domains.map((domain) => (
          <Badge key={domain} tone="good">
            <BadgeCheck className="size-3.5" aria-hidden />
            {domain}
            <span className="sr-only"> is verified</span>
          </Badge>
        ))}
      </div>
      <AtTheDoor key={profile.handle} profile={profile} />
      <p className="mt-12 border-t border-line pt-4 text-sm text-soft">
        {profile.verified_domains.length > 0
          ? 'A domain with a tick has been shown to be theirs. The name is what they call themselves.'
          : 'The name is what they call themselves; no domain has been shown to be theirs.'}{' '}
        Waybill carries messages and files between businesses, with a receipt that anybody can check.
      </p>
    </Plain>
  );
}

function NotFound({ handle, error, onRetry }: { handle: string; error: ApiError; onRetry(): void }) {
  if (error.code !== 'not_found')
    return (
      <Plain title={`@${handle}`}>
        <ErrorNote error={error} onRetry={onRetry} />
      </Plain>
    );
  return (
    <Plain title="Nobody has this handle">
      <p className="mb-6 text-soft">
        No business has claimed <bdi className="font-medium text-ink">@{handle}</bdi>. Check the spelling with whoever gave it to you.
      </p>
      <ButtonLink to="/claim">Claim a handle</ButtonLink>
    </Plain>
  );
}
