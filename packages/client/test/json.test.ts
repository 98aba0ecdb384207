import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson as ofTheService } from '../../../server/src/contract/canonical-json.ts';
import { hardJson } from '../../../server/test/support/hard-json.ts';
import { canonicalJson, type JsonNumber, type JsonObject, parseLossless, writeLossless } from '../src/index.ts';
import { newSha256, ScriptedSha256, type Sha256 } from '../src/sha256.ts';

const SOURCES = path.resolve(import.meta.dirname, '../src');

describe('lossless JSON', () => {
  test('keeps numbers as written, and all of repeated keys', () => {
    const value = parseLossless('{"id":12345678901234567890,"total":1.0,"a":1,"a":[2e400]}') as JsonObject;
    const id = value.get('id') as JsonNumber;
    expect([id.text, id.toBigInt(), id.toNumber()]).toEqual(['12345678901234567890', 12345678901234567890n, 12345678901234567000]);
    expect([String(value.get('total')), (value.get('total') as JsonNumber).toBigInt()]).toEqual(['1.0', undefined]);
    expect(writeLossless(value.getAll('a'))).toBe('[1,[2e400]]');
    expect(value.get('missing')).toBeUndefined();
  });

  test.each(hardJson)('reads %s as JSON.parse does, and writes it again', (_name, written) => {
    const again = writeLossless(parseLossless(written));
    expect(JSON.parse(again)).toEqual(JSON.parse(written));
    expect(writeLossless(parseLossless(again))).toBe(again);
  });

  test('accepts exactly what JSON.parse accepts', () => {
    const accepts = (read: () => unknown) => {
      try {
        read();
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
        return false;
      }
    };
    const bits = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '0',
      '1',
      '-',
      '.',
      'e',
      'true',
      'null',
      ' ',
      '\n',
      '\u00a0',
      '\u0001',
      '1.5',
    ];
    const text = fc.array(fc.constantFrom(...bits), { maxLength: 8 }).map((some) => some.join(''));
    fc.assert(
      fc.property(text, (one) => accepts(() => parseLossless(one)) === accepts(() => JSON.parse(one))),
      { numRuns: 20_000 },
    );
    fc.assert(fc.property(fc.json(), (one) => isDeepStrictEqual(JSON.parse(writeLossless(parseLossless(one))), JSON.parse(one))));
  });

  test('refuses more levels than the service', () => {
    expect(() => parseLossless('['.repeat(1_001) + ']'.repeat(1_001))).toThrow(/1000 levels/);
  });
});

test('the canonical form is that of the service', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), (value) => {
      expect(canonicalJson(value)).toBe(ofTheService(value));
    }),
  );
  for (const [, written] of hardJson) expect(canonicalJson(JSON.parse(written))).toBe(ofTheService(JSON.parse(written)));
  expect(() => canonicalJson(JSON.parse('1e400'))).toThrow(RangeError);
});

test.each([
  ['native', newSha256],
  ['scripted', () => new ScriptedSha256()],
] as [string, () => Sha256][])('the %s SHA-256 takes bytes piece by piece', (_name, begin) => {
  for (const size of [0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128, 100_000]) {
    const bytes = randomBytes(size);
    const hash = begin();
    for (let at = 0; at < size; ) {
      const piece = bytes.subarray(at, at + 1 + Math.floor(Math.random() * 200));
      hash.update(piece);
      at += piece.length;
    }
    expect(hash.digest()).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
  }
});

test('all but the entry for Node runs in browsers and workers: nothing of Node is imported, and there are no dependencies', () => {
  const files = readdirSync(SOURCES).filter((file) => file !== 'node.ts');
  expect(files).toContain('client.ts');
  const imported = files.flatMap((file) =>
    [...readFileSync(path.join(SOURCES, file), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, name]) => name as string),
  );
  expect(imported.filter((name) => !/^\.\/[a-z0-9-]+\.ts$/.test(name))).toEqual([]);
  expect(imported).not.toContain('./node.ts');
  const using = files.filter((file) => /\b(Buffer|process\.(env|nextTick)|require)\b/.test(readFileSync(path.join(SOURCES, file), 'utf8')));
  expect(using).toEqual([]);
  const manifest = JSON.parse(readFileSync(path.join(SOURCES, '../package.json'), 'utf8'));
  expect(manifest.dependencies).toBeUndefined();
});
