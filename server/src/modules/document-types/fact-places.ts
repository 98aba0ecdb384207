import { setImmediate } from 'node:timers/promises';
import { type FactPlaces, isLayout, ownFactPlaces } from '@waybill/documents';
import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { findChanges, findLayouts, type TypeKey } from './store.ts';

export { ownersAmong } from './store.ts';

const KNOWN_MAX = 1_000;
/** Layouts that are in memory at a time. */
const READ_AT_ONCE = 10;

/** Of layouts that were read before, until their type changes. */
const known = new LRUCache<string, { updatedAt: number; places: FactPlaces }>({ max: KNOWN_MAX });

export const typeKey = ({ partyId, type }: TypeKey): string => `${partyId} ${type}`;

/** Where the layouts of businesses' own types have number, total, currency and due date, by `typeKey`. Types that are not their own have none. */
export async function ownPlaces(db: Queryable, keys: readonly TypeKey[]): Promise<ReadonlyMap<string, FactPlaces>> {
  const found = new Map<string, FactPlaces>();
  if (keys.length === 0) return found;
  const changed = new Map<string, TypeKey & { updatedAt: Date }>();
  for (const own of await findChanges(db, keys)) {
    const before = known.get(typeKey(own));
    if (before?.updatedAt === own.updatedAt.getTime()) found.set(typeKey(own), before.places);
    else changed.set(typeKey(own), own);
  }
  const unknown = [...changed.values()];
  for (let from = 0; from < unknown.length; from += READ_AT_ONCE) {
    for (const { layout, ...key } of await findLayouts(db, unknown.slice(from, from + READ_AT_ONCE))) {
      const read: unknown = JSON.parse(layout);
      if (!isLayout(read)) continue;
      const places = ownFactPlaces(key.type, read);
      found.set(typeKey(key), places);
      known.set(typeKey(key), { updatedAt: changed.get(typeKey(key))?.updatedAt.getTime() ?? 0, places });
    }
    await setImmediate();
  }
  return found;
}
