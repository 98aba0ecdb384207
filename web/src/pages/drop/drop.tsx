import { useParams } from '@tanstack/react-router';
import { BadgeCheck } from 'lucide-react';
import type { WaybillError } from '../../api/client.ts';
import { useReading } from '../../api/queries.ts';
import type { PublicProfile } from '../../api/schema.ts';
import { Plain } from '../../frame/plain.tsx';
import { BusinessSign } from '../../parts/business-sign.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Title } from '../../ui/name.tsx';
import { Badge } from '../../ui/parts.tsx';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { DropForm } from './drop-form.tsx';

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
  const { data: shown } = useReading('GET /v1/public/{handle}/drop-page', { path: { handle: profile.handle } });
  return (
    <Plain title={profile.display_name} isWide mark={<BusinessSign name={profile.display_name} shown={shown} />}>
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
      {shown && shown.welcome !== '' ? (
        <p className="mb-8 whitespace-pre-line wrap-anywhere">
          <Title>{shown.welcome}</Title>
        </p>
      ) : null}
      <div
        className="rounded-2xl border border-line bg-tint p-5 shadow-sm sm:p-7"
        style={shown?.accent ? { borderTop: `4px solid ${shown.accent}` } : undefined}
      >
        <DropForm key={profile.handle} profile={profile} />
      </div>
      <p className="mt-8 text-sm text-soft">
        {profile.verified_domains.length > 0
          ? 'Domains with a check mark are verified. The name is chosen by the business.'
          : 'The name is chosen by the business. It has no verified domain.'}{' '}
        Waybill delivers messages and files between businesses, with receipts that anyone can verify.
      </p>
    </Plain>
  );
}

function NotFound({ handle, error, onRetry }: { handle: string; error: WaybillError; onRetry(): void }) {
  if (error.code !== 'not_found')
    return (
      <Plain title={`@${handle}`}>
        <ErrorNote error={error} onRetry={onRetry} />
      </Plain>
    );
  return (
    <Plain title="Handle not found">
      <p className="mb-6 text-soft">
        No business has claimed <bdi className="font-medium text-ink">@{handle}</bdi>. Check the spelling.
      </p>
      <ButtonLink to="/claim">Claim a handle</ButtonLink>
    </Plain>
  );
}
