import { lazy, type ReactNode, Suspense } from 'react';
import { retried } from '../../../api/lazy.ts';
import { useReading } from '../../../api/queries.ts';
import type { ListSearch, Narrowing } from '../../../parts/threads/views.ts';
import { Name } from '../../../ui/name.tsx';
import { Chip } from './chip.tsx';
import { DocumentChips } from './document-chips.tsx';

const DateField = lazy(retried(async () => ({ default: (await import('../../../ui/date-field.tsx')).DateField })));

/** The filters of a narrowed list. They are loaded with it, because most lists have none. */
export function Chips({ search, narrow }: { search: ListSearch; narrow(narrowing: Narrowing): void }) {
  const { data: account } = useReading('GET /v1/account', {});
  const { data: assignees } = useReading('GET /v1/threads/assignees', {}, { enabled: search.assignee !== undefined });
  const nameOf = (id: string) =>
    id === 'me' || id === account?.id ? 'Me' : id === 'none' ? 'Nobody' : (assignees?.data.find((one) => one.id === id)?.name ?? id);
  const { type, label, segment, assignee, unread, failed, since, until } = search;
  const chips: [keyof Narrowing, string, ReactNode][] = [
    ['unread', 'State', unread === undefined ? undefined : unread ? 'Unread' : 'Read'],
    ['failed', 'Schema', failed === undefined ? undefined : failed ? 'Needs correction' : 'Needs no correction'],
    ['with', 'With', search.with && <Name>{search.with}</Name>],
    ['type', 'Type', type && <Name>{type}</Name>],
    ['label', 'Label', label && <Name>{label}</Name>],
    ['assignee', 'Assignee', assignee && <Name>{nameOf(assignee)}</Name>],
    ['segment', 'Segment', segment && <Name>{segment}</Name>],
    ['since', 'Since', since && <Day label="Since" value={since} onChange={(day) => narrow({ since: day })} />],
    ['until', 'Until', until && <Day label="Until" value={until} onChange={(day) => narrow({ until: day })} />],
  ];
  return (
    <>
      {chips.map(([name, label, value]) =>
        value === undefined || value === '' ? null : (
          <Chip key={name} label={label} isDay={name === 'since' || name === 'until'} onRemove={() => narrow({ [name]: undefined })}>
            {value}
          </Chip>
        ),
      )}
      <DocumentChips search={search} narrow={narrow} />
    </>
  );
}

function Day(props: { label: string; value: string; onChange(day: string): void }) {
  return (
    <Suspense fallback={<span className="tabular-nums">{props.value}</span>}>
      <DateField {...props} />
    </Suspense>
  );
}
