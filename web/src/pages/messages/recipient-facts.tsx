import { BadgeCheck, CircleHelp } from 'lucide-react';
import { useReading } from '../../api/queries.ts';
import { useDebouncedValue } from '../../ui/debounce.ts';
import { number } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/parts.tsx';

const TYPING_MS = 300;
const HANDLE = /^[a-z0-9][a-z0-9-]{1,31}$/;

export function RecipientFacts({ typed }: { typed: string }) {
  const settled = useDebouncedValue(typed.trim().replace(/^@/, '').split('/')[0] ?? '', TYPING_MS);
  return HANDLE.test(settled) ? <OfHandle handle={settled} /> : <p className="min-h-5 text-sm" />;
}

function OfHandle({ handle }: { handle: string }) {
  const profile = useReading('GET /v1/public/{handle}', { path: { handle } });
  const contact = useReading('GET /v1/contacts/by-party', { query: { handle } }, { enabled: profile.data !== undefined });
  // The height must not change when the facts are loaded.
  if (!profile.data)
    return (
      <p role="status" className="flex min-h-5 items-center gap-1.5 text-sm text-soft">
        {profile.error?.status === 404 ? (
          <>
            <CircleHelp className="size-3.5 shrink-0" aria-hidden />
            No business has claimed @{handle} yet.
          </>
        ) : null}
      </p>
    );
  const { display_name, verified_domains } = profile.data;
  const activity = contact.data?.activity;
  const count = (activity?.messages_in ?? 0) + (activity?.messages_out ?? 0);
  const isKnown = contact.data !== undefined || contact.error?.status === 404;
  return (
    <p role="status" className="flex min-h-5 flex-wrap items-center gap-x-2 text-sm text-soft">
      <Name className="text-ink">{display_name}</Name>
      {verified_domains.length > 0 ? (
        <span className="inline-flex items-center gap-1 text-good">
          <BadgeCheck className="size-3.5 shrink-0" aria-hidden />
          {verified_domains.join(', ')}
        </span>
      ) : (
        <span>No verified domain</span>
      )}
      {!isKnown ? null : count === 0 ? (
        <span className="text-warn">First contact</span>
      ) : (
        <span>
          {number(count)} {count === 1 ? 'message' : 'messages'} so far
          {activity?.last_seen_at ? (
            <>
              , last <Time at={activity.last_seen_at} isLong />
            </>
          ) : null}
        </span>
      )}
    </p>
  );
}
