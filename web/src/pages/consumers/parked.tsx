import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { type List, useAction, useList } from '../../api/queries.ts';
import type { ParkedMessage } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { number } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { Row, Rows, Section, Time } from '../../ui/parts.tsx';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { useTask } from '../../ui/task.ts';
import { say } from '../../ui/toast.tsx';

const CHANGES = ['GET /v1/consumers', 'GET /v1/consumers/{name}', 'GET /v1/consumers/{name}/parked'] as const;

export function Parked({ name, count }: { name: string; count: number }) {
  const list = useList('GET /v1/consumers/{name}/parked', { path: { name }, query: {} }, { enabled: count > 0 });
  const unpark = useAction('POST /v1/consumers/{name}/unpark', { changes: [...CHANGES] });
  const drop = useAction('POST /v1/consumers/{name}/ack', { changes: [...CHANGES] });
  const ids = list.items.map(({ message_id }) => message_id);
  const retry = (chosen: string[]) =>
    unpark.mutate(
      { path: { name }, body: { ids: chosen } },
      { onSuccess: () => say(chosen.length === 1 ? 'Put back' : `${chosen.length} put back`) },
    );
  const error = list.error ?? unpark.error ?? drop.error;
  const isShown = count > 0 && ids.length > 0;
  return (
    <Section
      title="Messages set aside"
      actions={
        isShown ? (
          <Button isBusy={unpark.isPending} onClick={() => retry(ids)}>
            Try all again
          </Button>
        ) : null
      }
    >
      {error ? <ErrorNote error={error} onRetry={list.retry} /> : null}
      {count === 0 ? (
        <p className="text-soft">None. A message is set aside after its last try without an acknowledgement.</p>
      ) : list.isPending ? (
        <Loading rows={2} label="Loading messages set aside" />
      ) : (
        <Rows label="Messages set aside">
          {list.items.map((parked) => (
            <ParkedRow
              key={parked.message_id}
              parked={parked}
              onRetry={() => retry([parked.message_id])}
              onDrop={() =>
                drop.mutate({ path: { name }, body: { ids: [parked.message_id] } }, { onSuccess: () => say('Dropped from this consumer') })
              }
            />
          ))}
        </Rows>
      )}
      <More list={list} />
    </Section>
  );
}

function More({ list }: { list: List<ParkedMessage> }) {
  if (!list.hasMore) return null;
  return (
    <Button className="mt-4" onClick={list.more} isBusy={list.isFetchingMore}>
      Show more
    </Button>
  );
}

function ParkedRow({ parked, onRetry, onDrop }: { parked: ParkedMessage; onRetry(): void; onDrop(): void }) {
  const { message_id: id, tries, reason, parked_at } = parked;
  const navigate = useNavigate();
  const opening = useTask();
  const open = async () => {
    const { thread_id } = await call('GET /v1/messages/{id}', { path: { id } });
    await navigate({ to: '/threads/$id', params: { id: thread_id }, hash: id });
  };
  return (
    <Row>
      <div className="min-w-0 flex-1 basis-60">
        <p className="break-words">{reason === null ? 'A worker took it and did not finish it in time.' : <Name>{reason}</Name>}</p>
        <p className="text-sm break-all text-soft">
          {number(tries)} {tries === 1 ? 'try' : 'tries'} · set aside <Time at={parked_at} /> · <span className="font-mono">{id}</span>
        </p>
        {opening.error ? <ErrorNote error={opening.error} /> : null}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button look="quiet" isBusy={opening.isBusy} onClick={() => void opening.run(open)} aria-label={`Open ${id}`}>
          Open
        </Button>
        <Button look="quiet" onClick={onDrop} aria-label={`Drop ${id}`}>
          Drop
        </Button>
        <Button onClick={onRetry} aria-label={`Try again: ${id}`}>
          Try again
        </Button>
      </div>
    </Row>
  );
}
