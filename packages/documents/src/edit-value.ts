import { JsonObject, type LosslessJson, parseLossless } from '@waybill/client';
import { type Change, changesOf, escaped, INDEX, type JsonEdit, type OrderOf, placeOf } from './edit-json.ts';

/** Changes an object as `editJson` changes its text, so that nobody reads the changed text again. Paths are not empty. */
export function editObject(document: JsonObject, edits: readonly JsonEdit[], orderOf: OrderOf = () => []): JsonObject {
  return edits.length === 0 ? document : changedObject(document, changesOf(edits), '', orderOf);
}

function changed(value: LosslessJson | undefined, change: Change, path: string, orderOf: OrderOf): LosslessJson {
  if (typeof change.value === 'string') return parseLossless(change.value);
  if (Array.isArray(value)) return changedList(value, change, path, orderOf);
  if (value instanceof JsonObject) return changedObject(value, change, path, orderOf);
  const isList = [...change.below.keys()].every((name) => INDEX.test(name));
  return isList ? changedList([], change, path, orderOf) : changedObject(new JsonObject([]), change, path, orderOf);
}

function changedObject({ members }: JsonObject, { below }: Change, path: string, orderOf: OrderOf): JsonObject {
  // The last of repeated members counts, so the others stay unless all of them go.
  const lasts = new Map(members.map(([key], at) => [key, at]));
  const made: { key: string; value: LosslessJson }[] = [];
  for (const [at, [key, value]] of members.entries()) {
    const change = below.get(key);
    if (change?.value === null) continue;
    made.push({ key, value: change && lasts.get(key) === at ? changed(value, change, `${path}/${escaped(key)}`, orderOf) : value });
  }
  const order = orderOf(path);
  for (const [key, change] of below) {
    if (lasts.has(key) || change.value === null) continue;
    made.splice(placeOf(key, made, order), 0, { key, value: changed(undefined, change, `${path}/${escaped(key)}`, orderOf) });
  }
  return new JsonObject(made.map(({ key, value }) => [key, value]));
}

function changedList(list: readonly LosslessJson[], { below }: Change, path: string, orderOf: OrderOf): LosslessJson[] {
  const stay = list.flatMap((value, at) => {
    const change = below.get(String(at));
    if (change?.value === null) return [];
    return [change ? changed(value, change, `${path}/${at}`, orderOf) : value];
  });
  const added = [...below].filter(([name, { value }]) => Number(name) >= list.length && value !== null);
  const inOrder = added.toSorted(([a], [b]) => Number(a) - Number(b));
  return [...stay, ...inOrder.map(([name, change]) => changed(undefined, change, `${path}/${name}`, orderOf))];
}
