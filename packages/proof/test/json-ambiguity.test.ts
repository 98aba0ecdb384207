import { expect, test } from 'vitest';
import { isAmbiguous } from '../src/index.ts';

test.each([
  '{"a":1,"a":2}',
  '{"a":{"b":[{"c":1,"d":{},"c":1}]}}',
  // The same key, written with an escape.
  '{"a":1,"\\u0061":2}',
  '{"\\"":1,"b":2,"\\"":3}',
  '[10000000000000001]',
  '{"a":-12345678901234567890}',
  '0.1000000000000000055511151231257827',
  '[1e-400]',
  '1.00000000000000000001e2',
])('JSON of which parsers may read different values: %s', (json) => {
  expect(isAmbiguous(json)).toBe(true);
});

test.each([
  '{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}',
  '{"a":"a","b":["a","a","a"]}',
  '["\\\\","{\\"a\\":1,\\"a\\":2}","10000000000000001"]',
  '[0.1, 19.99, -0, 0.0, 1.0, 100e-2, 1E+2, 1e21, 10000000000000000, 5e-324]',
  '[1.7976931348623157e308, 0.30000000000000004, 123456789012345.00000000000, 0e999]',
  '{ "": null , "__proto__": true, "constructor": false }',
  ' \n[]\t',
])('JSON of which all parsers read one value: %s', (json) => {
  expect(isAmbiguous(json)).toBe(false);
});

test('takes time in proportion to the text', () => {
  const beganAt = performance.now();
  const zeros = '0'.repeat(200_000);
  expect(isAmbiguous(`[1${zeros}.${zeros}1]`)).toBe(true);
  expect(isAmbiguous(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)).toBe(false);
  expect(isAmbiguous(`{${Array.from({ length: 200_000 }, (_, n) => `"${n}":"\\\\"`).join(',')}}`)).toBe(false);
  expect(performance.now() - beganAt).toBeLessThan(5_000);
});
