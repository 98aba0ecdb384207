import { useState } from 'react';
import { useAction, useList } from '../../api/queries.ts';
import type { Session } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Badge, Row, Rows, Section, Time } from '../../ui/parts.tsx';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { browserName, sessionProof } from './session-names.ts';

export function Sessions() {
  const list = useList('GET /v1/account/sessions', { query: {} });
  const [isAsking, setAsking] = useState(false);
  const endOthers = useAction('DELETE /v1/account/sessions', { changes: ['GET /v1/account/sessions'] });
  return (
    <Section
      title="Sessions"
      actions={list.items.length > 1 ? <Button onClick={() => setAsking(true)}>Sign out everywhere else</Button> : null}
    >
      {list.error ? (
        <ErrorNote error={list.error} onRetry={list.retry} />
      ) : list.isPending ? (
        <Loading rows={2} />
      ) : (
        <Rows label="Sessions">
          {list.items.toReversed().map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </Rows>
      )}
      {list.hasMore ? (
        <Button className="mt-3" isBusy={list.isFetchingMore} onClick={list.more}>
          Show more
        </Button>
      ) : null}
      {isAsking ? (
        <Confirm
          title="Sign out everywhere else?"
          action="Sign out everywhere else"
          run={() => endOthers.mutateAsync({})}
          done="Signed out everywhere else"
          onClose={() => setAsking(false)}
        >
          All other browsers and devices are signed out at once. You stay signed in here.
        </Confirm>
      ) : null}
    </Section>
  );
}

function SessionRow({ session: { id, user_agent, address, provider, passkey, current, created_at, last_seen_at } }: { session: Session }) {
  const end = useAction('DELETE /v1/account/sessions/{id}', { changes: ['GET /v1/account/sessions'] });
  const name = browserName(user_agent);
  return (
    <Row>
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {name}
          {current ? <Badge tone="good">This browser</Badge> : null}
        </p>
        <p className="text-sm text-soft">
          {address} · signed in <Time at={created_at} /> · {sessionProof(provider, passkey)} ·{' '}
          {current ? (
            'in use now'
          ) : (
            <>
              last used <Time at={last_seen_at} />
            </>
          )}
        </p>
        {end.error ? <ErrorNote error={end.error} /> : null}
      </div>
      {current ? null : (
        <Button isBusy={end.isPending} onClick={() => end.mutate({ path: { id } })} aria-label={`Sign out ${name} from ${address}`}>
          Sign out
        </Button>
      )}
    </Row>
  );
}
