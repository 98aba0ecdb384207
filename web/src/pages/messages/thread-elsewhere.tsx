import { useQuery } from '@tanstack/react-query';
import { actFor, useActiveBusiness } from '../../api/business.ts';
import { call, WaybillError } from '../../api/client.ts';
import { useReading } from '../../api/queries.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Name } from '../../ui/name.tsx';
import { PageHeader } from '../../ui/parts.tsx';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';

/** A thread that the active business does not have. Links in emails name no business, so the others are searched. */
export function ThreadElsewhere({ id }: { id: string }) {
  const active = useActiveBusiness();
  const { data: account } = useReading('GET /v1/account', {});
  const others = account?.businesses.filter(({ handle }) => handle !== active);
  const owner = useQuery({
    queryKey: ['thread of', id, active],
    enabled: others !== undefined,
    queryFn: async () => {
      for (const business of others ?? []) if (await hasThread(business.handle, id)) return business;
      return null;
    },
  });
  if (owner.error instanceof WaybillError)
    return (
      <>
        <PageHeader title="Thread" />
        <ErrorNote error={owner.error} onRetry={() => void owner.refetch()} />
      </>
    );
  if (owner.data === undefined)
    return (
      <>
        <PageHeader title="Thread" />
        <Loading rows={2} label="Searching thread" />
      </>
    );
  return (
    <>
      <PageHeader title="Thread" />
      {owner.data === null ? (
        <Empty title="Thread not found">
          <p className="mb-4">@{active} is not part of this thread. If it belongs to another business, ask for an invitation to it.</p>
          <ButtonLink to="/inbox">Go to inbox</ButtonLink>
        </Empty>
      ) : (
        <Empty title="This thread belongs to another of your businesses">
          <p className="mb-4">
            It belongs to <Name>{owner.data.display_name}</Name> (@{owner.data.handle}). You are acting for @{active}.
          </p>
          <Button look="primary" onClick={() => actFor(owner.data?.handle)}>
            Switch to @{owner.data.handle}
          </Button>
        </Empty>
      )}
    </>
  );
}

async function hasThread(handle: string, id: string): Promise<boolean> {
  try {
    await call('GET /v1/threads/{id}', { path: { id }, query: { limit: 1 } }, { headers: { 'waybill-business': handle } });
    return true;
  } catch (error) {
    if (error instanceof WaybillError && error.status === 404) return false;
    throw error;
  }
}
