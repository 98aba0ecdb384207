import type { Budget } from './budget.ts';

interface Inside {
  value: unknown;
  name: string;
  around: Inside | undefined;
}

/** The names on the path from a document to an object in it, or none if it is not there. Without recursion: a document may be deep. */
export function placeOf(wanted: object, document: unknown, budget: Budget): string[] {
  const waiting: Inside[] = [{ value: document, name: '', around: undefined }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value } = next;
    if (value === wanted) return namesTo(next);
    if (value === null || typeof value !== 'object') continue;
    budget.step();
    for (const [name, inner] of Object.entries(value)) waiting.push({ value: inner, name, around: next });
  }
  return [];
}

function namesTo(found: Inside): string[] {
  const names: string[] = [];
  for (let { name, around } = found; around; { name, around } = around) names.unshift(name);
  return names;
}
