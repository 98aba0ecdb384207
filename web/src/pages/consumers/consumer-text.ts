import type { Consumer } from '../../api/schema.ts';
import { number } from '../../ui/format.ts';

/** The API counts no further. */
const COUNTED_MAX = 1_000;

export const counted = (count: number): string => `${number(count)}${count >= COUNTED_MAX ? '+' : ''}`;

const RESULTS = { passed: 'that passed your schema', failed: 'that failed your schema', not_applicable: 'that no schema applies to' };

export function takesText({ filter: { types, target, validation }, ordered }: Consumer): string {
  const parts = [
    types ? `Messages of type ${types.join(' or ')}` : 'All messages',
    target === undefined ? '' : `to ${target}`,
    validation === undefined ? '' : RESULTS[validation],
  ];
  return `${parts.filter(Boolean).join(' ')}${ordered ? ', in order within each thread' : ''}`;
}
