import { useReading } from '../../api/queries.ts';
import type { Usage } from '../../api/schema.ts';
import { bytes, number } from '../../ui/format.ts';
import { PageHeader, Section, Time } from '../../ui/parts.tsx';
import { States } from '../../ui/states.tsx';
import { DayCharts } from './day-charts.tsx';
import { Meter } from './meter.tsx';

const DAYS = 90;

export function UsagePage() {
  const usage = useReading('GET /v1/usage', { query: { days: DAYS } });
  return (
    <>
      <PageHeader title="Usage">
        Messages your business sent and files it uploaded, and its limits. Received messages do not count. Days and months are in UTC.
      </PageHeader>
      <States of={usage}>
        {(known) => (
          <div>
            <Limits usage={known} />
            <DayCharts days={known.days} />
          </div>
        )}
      </States>
    </>
  );
}

function Limits({ usage: { messages, uploads, new_account, resets_at } }: { usage: Usage }) {
  return (
    <Section title="Limits">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(16rem,1fr))] gap-4">
        <Meter label="Messages this month" used={messages.used} limit={messages.limit} format={number}>
          Resets <Time at={resets_at} isLong />
        </Meter>
        <Meter label="Uploads today" used={uploads.used_bytes} limit={uploads.limit_bytes} format={bytes}>
          Resets <Time at={uploads.resets_at} isLong />
        </Meter>
        {new_account !== null ? (
          <Meter label="Messages today (new business)" used={new_account.used} limit={new_account.limit} format={number}>
            Applies until <Time at={new_account.until} isLong />, or until you verify a domain. Resets{' '}
            <Time at={new_account.resets_at} isLong />
          </Meter>
        ) : null}
      </div>
    </Section>
  );
}
