import { invalid, Refusal } from '../../contract/errors.ts';
import { newUuid, parseId } from '../../contract/ids.ts';
import { SHARED_VIEWS_PER_BUSINESS_MAX, VIEWS_PER_WORKER_MAX } from '../../contract/limits.ts';
import { mayActAs } from '../../contract/members.ts';
import type { Caller } from '../../contract/parties.ts';
import { textIssues } from '../../contract/validation.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { noteChange } from './change-store.ts';
import { colleagueOf } from './colleagues.ts';
import { type DigestFrequency, digestsOf, removeDigestsOfView } from './digest-store.ts';
import type { Count, ThreadCounts } from './thread-counts.ts';
import { resolveFilters, type ThreadQuery } from './thread-filters.ts';
import * as store from './view-store.ts';

export interface ViewServices {
  database: Database;
  parties: PartyDirectory;
  threadCounts: ThreadCounts;
}

export interface View {
  row: store.ViewRow;
  isMine: boolean;
  count: Count;
  digest: DigestFrequency | 'never';
}

export async function listViews(services: ViewServices, caller: Caller): Promise<View[]> {
  const { id } = caller.business;
  return toViews(services, caller, await store.listViews(services.database.of(id), id, colleagueOf(caller)));
}

async function toViews({ database, threadCounts }: ViewServices, caller: Caller, rows: readonly store.ViewRow[]): Promise<View[]> {
  const counts = await threadCounts.of(
    caller,
    rows.map(({ filter }) => filter),
  );
  const { id } = caller.business;
  const colleague = colleagueOf(caller);
  const digests = await digestsOf(database.of(id), id, colleague.id);
  return rows.map((row, i) => ({
    row,
    isMine: row.owner_id === colleague.id,
    count: counts[i] ?? { count: 0, isCapped: false },
    digest: digests.get(row.id) ?? 'never',
  }));
}

export async function toView(services: ViewServices, caller: Caller, row: store.ViewRow): Promise<View> {
  const [view] = await toViews(services, caller, [row]);
  return view ?? noSuchView();
}

interface ViewChange {
  name?: string;
  filter?: ThreadQuery;
  shared?: boolean;
}

export async function createView(
  services: ViewServices,
  caller: Caller,
  { name, filter, shared: isShared = false }: ViewChange & { name: string; filter: ThreadQuery },
): Promise<View> {
  const { id } = caller.business;
  await checkFilter(services, caller, filter);
  const row = await services.database.of(id).transaction(async (tx) => {
    await noteChange(tx, id);
    const created = await store.insertView(tx, id, newUuid(), colleagueOf(caller), { name: nameOf(name), filter, isShared });
    await refuseTooMany(tx, caller);
    return created;
  });
  return toView(services, caller, row);
}

/** Everybody may change their own views. Shared views of others are for admins only. */
export async function changeView(services: ViewServices, caller: Caller, viewId: string, change: ViewChange): Promise<View> {
  const { id } = caller.business;
  if (change.filter !== undefined) await checkFilter(services, caller, change.filter);
  const row = await services.database.of(id).transaction(async (tx) => {
    await noteChange(tx, id);
    const before = await changeable(tx, caller, viewId);
    const changed = await store.updateView(tx, id, before.id, {
      name: change.name === undefined ? before.name : nameOf(change.name),
      filter: change.filter ?? before.filter,
      isShared: change.shared ?? before.is_shared,
    });
    await refuseTooMany(tx, caller);
    return changed ?? noSuchView();
  });
  return toView(services, caller, row);
}

export async function deleteView({ database }: ViewServices, caller: Caller, viewId: string): Promise<void> {
  const { id } = caller.business;
  await database.of(id).transaction(async (tx) => {
    await noteChange(tx, id);
    const view = await changeable(tx, caller, viewId);
    await store.deleteView(tx, id, view.id);
    await removeDigestsOfView(tx, id, view.id);
  });
}

async function changeable(tx: Queryable, caller: Caller, viewId: string): Promise<store.ViewRow> {
  const uuid = parseId('view', viewId);
  const colleague = colleagueOf(caller);
  const row = uuid === undefined ? undefined : await store.findView(tx, caller.business.id, colleague, uuid);
  if (!row) return noSuchView();
  const isAdmin = caller.by.kind === 'member' && mayActAs(caller.by.role, 'admin');
  if (row.owner_id !== colleague.id && !isAdmin) throw new Refusal('forbidden', 'Only its creator, or an admin, can change a shared view.');
  return row;
}

/** A filter that the list would refuse is refused when it is saved. */
async function checkFilter({ parties }: ViewServices, caller: Caller, filter: ThreadQuery): Promise<void> {
  const issues = textIssues(filter, []);
  if (issues.length > 0) throw invalid(issues.map(({ path, message }) => ({ path: `/filter${path}`, message })));
  try {
    await resolveFilters(parties, caller.business, colleagueOf(caller), filter);
  } catch (error) {
    if (!(error instanceof Refusal) || error.details === undefined) throw error;
    throw invalid(error.details.map(({ path, message }) => ({ path: `/filter${path}`, message })));
  }
}

function nameOf(text: string): string {
  const name = text.trim();
  if (name === '') throw invalid([{ path: '/name', message: 'must not be empty' }]);
  return name;
}

async function refuseTooMany(tx: Queryable, caller: Caller): Promise<void> {
  const { shared, own } = await store.countViews(tx, caller.business.id, colleagueOf(caller));
  if (own > VIEWS_PER_WORKER_MAX) throw new Refusal('conflict', `You can save ${VIEWS_PER_WORKER_MAX} views of your own at most.`);
  if (shared > SHARED_VIEWS_PER_BUSINESS_MAX)
    throw new Refusal('conflict', `A business can share ${SHARED_VIEWS_PER_BUSINESS_MAX} views at most.`);
}

function noSuchView(): never {
  throw new Refusal('not_found', 'The view was not found.');
}
