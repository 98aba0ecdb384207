import { expect, test } from 'vitest';
import type { Party } from '../../src/api/schema.ts';
import { senderNews } from '../../src/pages/messages/sender-news.ts';

const from = (id: string, handle: string, display_name: string) => ({
  id,
  from: { party: { kind: 'handle', handle, display_name } satisfies Party },
});

test('a sender is news with its first message of a thread, and when it has another name', () => {
  const thread = [
    from('1', 'globex', 'Globex'),
    from('2', 'acme', 'Acme'),
    from('3', 'globex', 'Globex'),
    from('4', 'globex', 'G1obex'),
    from('5', 'globex', 'G1obex'),
  ];
  expect([...senderNews(thread)]).toEqual([
    ['1', 'first'],
    ['2', 'first'],
    ['4', 'renamed'],
  ]);
});
