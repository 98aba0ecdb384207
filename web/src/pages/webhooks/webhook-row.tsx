import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { useReading } from '../../api/queries.ts';
import type { Webhook, WebhookStatistics } from '../../api/schema.ts';
import { count, percent } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { Badge } from '../../ui/parts.tsx';
import { Receives } from './receives.tsx';

interface WebhookRowProps {
  webhook: Webhook;
  isCounted: boolean;
  onCounted(): void;
}

export function WebhookRow({ webhook, isCounted, onCounted }: WebhookRowProps) {
  const { id, url, description, active } = webhook;
  const { data, isFetched } = useReading(
    'GET /v1/webhooks/{id}/statistics',
    { path: { id }, query: { period: '24h' } },
    { enabled: isCounted },
  );
  const reportCounted = useEffectEvent(onCounted);
  useEffect(() => {
    if (isFetched) reportCounted();
  }, [isFetched]);
  return (
    <li>
      <Link
        to="/webhooks/$id"
        params={{ id }}
        className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-1 px-4 py-3.5 -outline-offset-2 hover:bg-tint sm:grid-cols-[1fr_auto_auto]"
      >
        <span className="min-w-0">
          {description === null ? null : <Name className="block truncate font-medium">{description}</Name>}
          <span className={`block truncate font-mono text-sm ${description === null ? 'font-medium' : ''}`}>{url}</span>
          <span className="block text-sm text-soft">
            <Receives webhook={webhook} />
          </span>
        </span>
        <span className="min-h-5 text-right max-sm:col-start-1 max-sm:row-start-2 max-sm:text-left">
          {active ? <Health totals={data?.totals} /> : <Badge tone="warn">Paused</Badge>}
        </span>
        <ChevronRight className="size-4 text-soft max-sm:row-span-2 max-sm:row-start-1" aria-hidden />
      </Link>
    </li>
  );
}

function Health({ totals }: { totals: WebhookStatistics['totals'] | undefined }) {
  if (!totals) return null;
  const { delivered, failed } = totals;
  if (delivered + failed === 0) return <span className="text-sm text-soft">No deliveries in 24 h</span>;
  if (failed === 0) return <Badge tone="good">{count(delivered, 'delivery', 'deliveries')} in 24 h, 0 failed</Badge>;
  if (delivered === 0) return <Badge tone="bad">All {count(failed, 'attempt')} in 24 h failed</Badge>;
  return <Badge tone="warn">{percent(delivered, delivered + failed)} delivered in 24 h</Badge>;
}
