import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { pythonWith } from '../../../clients/test/python-environment.ts';
import { temporaryFolder } from '../../../server/test/support/process.ts';
import { type Forgery, openParts, VECTORS, type Vector } from './support/vectors.ts';

const PROGRAM = path.resolve(VECTORS, '../verify.py');
const FLIPPER = path.join(import.meta.dirname, 'support/flip_bits.py');
const PROJECT = path.resolve(import.meta.dirname, '../../../clients/python/pyproject.toml');
const FLIPS = 1_000;
const CODES = { verified: 0, failed: 1, unusable: 2, untrusted: 6 };

let python = '';
function run(...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(python, args, { timeout: 240_000, env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, output: stdout + stderr }),
    );
  });
}

beforeAll(async () => {
  const found = await pythonWith(PROJECT);
  if (typeof found === 'string') python = found;
  else console.warn(`verify.py was not tried: ${found.missing}`);
});

function optionsOf({ trust, given }: Pick<Vector, 'trust'> & { given: Vector['given'] | undefined }): string[] {
  const vkey = readFileSync(path.join(VECTORS, 'vkey.txt'), 'utf8').trim();
  return [
    ...{ policy: ['--policy', path.join(VECTORS, 'policy.txt')], vkey: ['--vkey', vkey], none: [] }[trust],
    ...(given?.sender_keys ?? []).flatMap((key) => ['--sender-key', key]),
    ...(given?.recipient_keys ?? []).flatMap((key) => ['--recipient-key', key]),
    ...(given?.authorities ?? []).flatMap((name) => ['--authority', name]),
  ];
}

function failuresIn(output: string): string[] {
  const failures = [...output.matchAll(/^FAIL ([\w-]+) ([\w-]+):/gm)].map(([, part, reason]) => `${part} ${reason}`);
  return [...new Set(failures)].sort();
}

test('verify.py is short', () => {
  expect(readFileSync(PROGRAM, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(420);
});

describe('verify.py', () => {
  test('has the expected verdict of each vector', async () => {
    if (python === '') return;
    const vectors: Vector[] = JSON.parse(readFileSync(path.join(VECTORS, 'vectors.json'), 'utf8'));
    for (const { name, file, trust, given, verdict } of vectors) {
      const { code, output } = await run(PROGRAM, path.join(VECTORS, file), ...optionsOf({ trust, given }));
      expect([code, failuresIn(output)], `${name}: ${output}`).toEqual([CODES[verdict], []]);
      expect(/^Verified$/m.test(output), name).toBe(verdict === 'verified');
      // verify.py does not check who signed a timestamp, and trusts no key in the file.
      expect(output, name).not.toMatch(trust === 'none' ? /^ok/m : /^ok +time \d/m);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those of a file must not reach a terminal.
      expect(output, name).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
      if (verdict !== 'verified') continue;
      const open = [...output.matchAll(/^- +(signature|hand-over|acknowledgement|expiry) /gm)].map(([, part]) => part);
      expect([...new Set(open)].sort(), `${name}: ${output}`).toEqual(await openParts({ file, trust, given }));
    }
  });

  test('refuses each forgery for the same reason', async () => {
    if (python === '') return;
    const forgeries: Forgery[] = JSON.parse(readFileSync(path.join(VECTORS, 'forgeries/forgeries.json'), 'utf8'));
    for (const { name, file, trust, given, failed, by_authority } of forgeries) {
      // verify.py compares the hash in a timestamp, and leaves the signature to OpenSSL.
      if (by_authority) continue;
      const { code, output } = await run(PROGRAM, path.join(VECTORS, 'forgeries', file), ...optionsOf({ trust, given }));
      const expected = failed.map(({ part, reason }) => `${part} ${reason}`).sort();
      expect([code, failuresIn(output)], `${name}: ${output}`).toEqual([1, expected]);
    }
  });

  test('compares JSON and files', async () => {
    if (python === '') return;
    const at = (name: string) => path.join(VECTORS, name);
    const trusted = ['--policy', at('policy.txt')];
    const files = ['--json', at('order.json'), '--file', at('drawing.txt')];
    const good = await run(PROGRAM, at('good-everything.waybill-proof'), ...trusted, ...files);
    expect(good).toMatchObject({ code: 0, output: expect.stringContaining('drawing.txt is file_') });
    expect(good.output.match(/^ok +json/gm)).toHaveLength(2);
    const other = path.join(temporaryFolder(), 'other.json');
    writeFileSync(other, '{"a":2,"big":1e16}');
    const written = await run(PROGRAM, at('good-json-with-repeated-keys.waybill-proof'), ...trusted, '--json', other);
    expect(written).toMatchObject({ code: 0, output: expect.stringMatching(/^- +json the same value, but not the same bytes/m) });
    // Others may read another value from these.
    for (const json of ['{"a":2,"big":10000000000000001}', '{"a":1,"a":2,"big":1e16}', '{"\\u0061":1,"a":2,"big":1e16}']) {
      writeFileSync(other, json);
      const refused = await run(PROGRAM, at('good-json-with-repeated-keys.waybill-proof'), ...trusted, '--json', other);
      expect(refused, json).toMatchObject({ code: 1, output: expect.stringMatching(/^FAIL json .*others may read another value/m) });
    }
    expect((await run(PROGRAM, at('good-everything.waybill-proof'), ...trusted, '--file', at('order.json'))).code).toBe(1);
    expect((await run(PROGRAM, at('good-everything.waybill-proof'), ...trusted, '--json', at('vectors.json'))).code).toBe(1);
    const open = await run(PROGRAM, at('untrusted-forged.waybill-proof'));
    expect(open).toMatchObject({ code: 6, output: expect.stringContaining('Not verified: no trusted key. Give --vkey or --policy') });
    expect((await run(PROGRAM, at('policy.txt'))).code).toBe(2);
    expect((await run(PROGRAM, at('missing'))).code).toBe(2);
  });

  test('refuses each flipped bit', async () => {
    if (python === '') return;
    const { code, output } = await run(FLIPPER, path.dirname(PROGRAM), VECTORS, String(FLIPS));
    expect([code, output.trim()]).toEqual([0, '[]']);
  });
});
