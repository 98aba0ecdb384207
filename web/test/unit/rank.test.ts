import { expect, test } from 'vitest';
import { rank } from '../../src/ui/rank.ts';

const option = (group: string, text: string, hint?: string) => ({ key: `${group} ${text}`, group, text, hint, choose: () => undefined });

test('what starts with the typed text comes before what has it inside, group by group', () => {
  const options = [
    option('From or to', 'Kaufhaus des Nordens', '@kaufhaus-nord'),
    option('From or to', 'Nordlicht', '@nordlicht'),
    option('Type', 'pre-order'),
    option('Type', 'reorder'),
    option('Type', 'order.change'),
    option('Type', 'order'),
  ];
  expect(rank(options, 'ord').map(({ text }) => text)).toEqual([
    ...['order', 'order.change', 'pre-order', 'reorder'],
    ...['Kaufhaus des Nordens', 'Nordlicht'],
  ]);
  expect(rank(options, '@nordl')[0]?.text).toBe('Nordlicht');
  expect(rank(options, 'ORDER.CHANGE')[0]?.text).toBe('order.change');
  expect(rank(options, '')).toEqual(options);
});
