import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ChevronLeft, Pencil, Trash2, Undo2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { forget, keyOf, useAction, useReading } from '../../api/queries.ts';
import type { Consumer } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { number } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { Fact, Facts, PageHeader, Row, Rows, Section, Time } from '../../ui/parts.tsx';
import { States } from '../../ui/states.tsx';
import { counted, takesText } from './consumer-text.ts';
import { MoveConsumer } from './move-consumer.tsx';
import { EditConsumer } from './new-consumer.tsx';
import { Parked } from './parked.tsx';

const REFRESH_MS = 5_000;

export function ConsumerPage() {
  const { name } = useParams({ from: '/app/consumers/$name' });
  const consumer = useReading('GET /v1/consumers/{name}', { path: { name } });
  useRefresh();
  return (
    <>
      <Link to="/consumers" className="mb-2 inline-flex items-center gap-1 rounded text-sm text-soft hover:text-ink">
        <ChevronLeft className="size-4" aria-hidden />
        Consumers
      </Link>
      {consumer.data ? null : <PageHeader title="Consumer" />}
      <States of={consumer}>{(data) => <Shown key={data.name} consumer={data} />}</States>
    </>
  );
}

/** Workers change the numbers all the time. */
function useRefresh(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void forget(queries, 'GET /v1/consumers/{name}');
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [queries]);
}

function Shown({ consumer }: { consumer: Consumer }) {
  const [open, setOpen] = useState<'edit' | 'move' | 'delete'>();
  const onClose = () => setOpen(undefined);
  return (
    <>
      <PageHeader
        title={consumer.name}
        actions={
          <>
            <Button onClick={() => setOpen('edit')} icon={<Pencil className="size-4" aria-hidden />}>
              Edit
            </Button>
            <Button onClick={() => setOpen('move')} icon={<Undo2 className="size-4" aria-hidden />}>
              Move
            </Button>
            <Button onClick={() => setOpen('delete')} icon={<Trash2 className="size-4" aria-hidden />}>
              Delete
            </Button>
          </>
        }
      >
        {takesText(consumer)}
      </PageHeader>
      <Numbers consumer={consumer} />
      <Facts>
        <Fact name="Tries">
          {consumer.max_tries === 1 ? 'One, then a message is set aside' : `${consumer.max_tries}, then a message is set aside`}
        </Fact>
        <Fact name="Position">
          <span className="font-mono text-sm break-all">{consumer.position}</span>
        </Fact>
        <Fact name="Created">
          <Time at={consumer.created_at} isExact />
        </Fact>
        <Fact name="Workers">
          <a href="/docs/receive-behind-a-firewall" target="_blank" rel="noreferrer" className="text-accent underline">
            How to take messages
          </a>
        </Fact>
      </Facts>
      <Holders holders={consumer.holders} />
      <Parked name={consumer.name} count={consumer.parked} />
      {open === 'edit' ? <EditConsumer consumer={consumer} onClose={onClose} /> : null}
      {open === 'move' ? <MoveConsumer name={consumer.name} onClose={onClose} /> : null}
      {open === 'delete' ? <DeleteConsumer name={consumer.name} onClose={onClose} /> : null}
    </>
  );
}

function Numbers({ consumer: { lag, leased, parked, oldest_unacknowledged_at: oldest } }: { consumer: Consumer }) {
  const numbers: [label: string, value: string][] = [
    ['Waiting', counted(lag)],
    ['In progress', counted(leased)],
    ['Set aside', counted(parked)],
  ];
  return (
    <dl className="mb-8 grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line sm:grid-cols-4">
      {numbers.map(([label, value]) => (
        <div key={label} className="bg-paper px-4 py-3">
          <dt className="text-sm text-soft">{label}</dt>
          <dd className="text-2xl font-semibold tabular-nums">{value}</dd>
        </div>
      ))}
      <div className="bg-paper px-4 py-3">
        <dt className="text-sm text-soft">Oldest arrived</dt>
        <dd className="text-2xl font-semibold">{oldest === null ? '–' : <Time at={oldest} />}</dd>
      </div>
    </dl>
  );
}

function Holders({ holders }: Pick<Consumer, 'holders'>) {
  return (
    <Section title="Workers">
      {holders.length === 0 ? (
        <p className="text-soft">No worker holds a message.</p>
      ) : (
        <Rows label="Workers">
          {holders.map(({ holder, leased, lease_until }) => (
            <Row key={holder}>
              <p className="min-w-0 flex-1 font-mono text-sm break-all">
                <Name>{holder}</Name>
              </p>
              <p className="text-sm text-soft">
                {number(leased)} {leased === 1 ? 'message' : 'messages'} · until <Time at={lease_until} />
              </p>
            </Row>
          ))}
        </Rows>
      )}
    </Section>
  );
}

function DeleteConsumer({ name, onClose }: { name: string; onClose(): void }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useAction('DELETE /v1/consumers/{name}', { changes: ['GET /v1/consumers'] });
  const deleteConsumer = async () => {
    await remove.mutateAsync({ path: { name } });
    await navigate({ to: '/consumers', replace: true });
    // Going back must not show the cached consumer.
    queries.removeQueries({ queryKey: keyOf('GET /v1/consumers/{name}', { path: { name } }) });
  };
  return (
    <Confirm title={`Delete ${name}?`} action="Delete consumer" run={deleteConsumer} done="Consumer deleted" onClose={onClose}>
      Workers get no more messages from it. Messages stay in your inbox.
    </Confirm>
  );
}
