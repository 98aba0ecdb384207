import { expect, test } from 'vitest';
import { unknownIn } from '../../src/pages/search/operator-names.ts';

test('operators and values that the search does not know are named', () => {
  expect(unknownIn('is:nonsense foo:bar')).toEqual(['is: takes open, done or unread, not nonsense.', 'foo: is not a search operator.']);
  expect(unknownIn('has:files before:friday assignee:bob foo:"a b" foo:c')).toEqual([
    'has: takes file or json, not files.',
    'before: takes a day such as 2026-01-31, not friday.',
    'assignee: takes me, none or an id, not bob.',
    'foo: is not a search operator.',
  ]);
});

test('what the search knows, and words with colons, are not', () => {
  const known = 'from:acme to:"x" type:order.* label:"this week" assignee:me is:open has:file before:2026-01-31 after:2026-01-31T10:00Z';
  for (const query of [known, 'PO-48 "foo:bar"', 'https://example.com/a', 'at 10:30', 'is:', 'foo:', ''])
    expect(unknownIn(query), query).toEqual([]);
});
