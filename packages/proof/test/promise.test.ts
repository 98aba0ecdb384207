import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { formatVkey, KEY_TYPE, PROMISE_CHARACTERS_MAX, ProofError, signNote, verifierKey, verifyPromise } from '../src/index.ts';
import { keyOf, logSigner } from './support/keys.ts';
import { type PromiseTerms, samplePromises, TIMES } from './support/sample-promise.ts';

const ORIGIN = 'waybill.example.com/log';
const log = logSigner(ORIGIN);
const trusted = { vkeys: [log.vkey] };
const hashes = Array.from({ length: 17 }, (_, at) => `sha256:${createHash('sha256').update(`${at}`).digest('hex')}`);
const certify = (body: string) => signNote(body, [log.signer]);

async function sample(terms: Partial<PromiseTerms> = {}, index = 0): Promise<string> {
  const promises = await samplePromises({ log: ORIGIN, certify, contentHashes: hashes.slice(0, 3), ...terms });
  return promises[index] ?? '';
}

/** The texts of all failed checks, or why the text is no promise. */
async function refusal(text: string, options = trusted): Promise<string> {
  try {
    const { checks } = await verifyPromise(text, options);
    return checks.flatMap((one) => (one.state === 'failed' ? [one.text] : [])).join(' ');
  } catch (error) {
    if (error instanceof ProofError) return error.message;
    throw error;
  }
}

describe('a promise', () => {
  test.each([1, 2, 3, 5, 16, 17])('verifies by the key of the log alone, as one of %i', async (count) => {
    const promises = await samplePromises({ log: ORIGIN, certify, contentHashes: hashes.slice(0, count) });
    for (const [at, text] of promises.entries()) {
      expect(text.length).toBeLessThan(PROMISE_CHARACTERS_MAX);
      const { verdict, promise, checks } = await verifyPromise(text, trusted);
      expect(verdict, JSON.stringify(checks)).toBe('verified');
      expect(promise).toEqual({ at: TIMES.at, by: TIMES.by, contentHash: hashes[at], log: ORIGIN, position: '7226142720000001' });
    }
  });

  test('may have no position', async () => {
    expect((await verifyPromise(await sample({ position: null }), trusted)).promise.position).toBeNull();
  });

  test('is untrusted without a key, however consistent it is', async () => {
    const { verdict, checks } = await verifyPromise(await sample(), {});
    expect(verdict).toBe('untrusted');
    expect(checks.filter(({ part }) => part === 'log')).toMatchObject([{ state: 'unchecked' }]);
  });

  test('stays true when the log has another key by then, which signs along', async () => {
    const next = logSigner(ORIGIN, 'the next key');
    const text = await sample({ certify: (body) => signNote(body, [next.signer, log.signer]) });
    for (const { vkey } of [log, next]) expect((await verifyPromise(text, { vkeys: [vkey] })).verdict).toBe('verified');
  });
});

describe('refused', () => {
  const other = logSigner('other.example/log');
  const witnessKey = formatVkey(verifierKey(`${ORIGIN}/promises`, KEY_TYPE.cosignature, keyOf('promises').publicKey));

  const TERMS: [name: string, terms: Partial<PromiseTerms>, reason: string][] = [
    ['made after its key was certified', { at: TIMES.until, by: '2026-11-19T10:10:00.000Z' }, 'was not certified'],
    ['made before its key was certified', { at: '2026-11-19T07:59:59.999Z' }, 'was not certified'],
    ['for a time before it was made', { by: TIMES.at }, 'before it was made'],
    ['for a time that is far off', { by: '2026-11-20T08:30:00.001Z' }, 'more than a day'],
    ['by a key that is certified for long', { from: '2026-11-18T08:00:00.000Z' }, 'more than a day'],
    ['signed by another key', { signedBy: 'somebody' }, 'is wrong'],
    ['whose tree is of another log', { treeLog: 'other.example/log' }, 'different logs'],
    ['whose key is certified for another log', { keyLog: 'other.example/log' }, 'different logs'],
    ['by a key with another name', { keyName: ORIGIN }, 'not one for promises'],
    ['by the key of a witness', { vkey: witnessKey }, 'not one for promises'],
    ['certified by another log', { certify: (body) => signNote(body, [other.signer]) }, 'No known key'],
    ['certified by a forged key of the log', { certify: (body) => signNote(body, [logSigner(ORIGIN, 'forged').signer]) }, 'No known key'],
    ['with a position that is none', { position: '-1' }, 'position'],
    ['with a time that is none', { at: '2026-11-19T08:30:00Z' }, 'not a time'],
    ['of a hash that is none', { contentHashes: ['sha256:00'] }, 'hash'],
  ];
  test.each(TERMS)('is a promise %s', async (_, terms, reason) => {
    expect(await refusal(await sample(terms))).toContain(reason);
  });

  test('is a promise of a log that is not trusted', async () => {
    expect(await refusal(await sample(), { vkeys: [other.vkey] })).toContain('of which you named no key');
    const others = await sample({ log: 'other.example/log', certify: (body) => signNote(body, [other.signer]) });
    expect(await refusal(others)).toContain('of which you named no key');
  });

  const CHANGES: [name: string, change: (text: string) => string, reason: string][] = [
    ['of another message', (text) => text.replace(hashes[0] ?? '', hashes[9] ?? ''), 'not among those'],
    ['with the index of another', (text) => text.replace('index 0', 'index 1'), 'not among those'],
    ['with an index beyond the tree', (text) => text.replace('index 0', 'index 3'), 'not among those'],
    ['with a shorter path', (text) => text.replace(/(index 0\n).*\n/, '$1'), 'not among those'],
    ['with a longer path', (text) => text.replace(/(index 0\n(.*\n))/, '$1$2'), 'not among those'],
    ['with a hash that is none', (text) => text.replace(/(index 0\n).*\n/, '$1AAAA\n'), '32 bytes'],
    ['whose JSON is written in another way', (text) => text.replace('{"at"', '{ "at"'), 'canonical'],
    ['with a further member', (text) => text.replace(',"by"', ',"aye":"1","by"'), 'unknown member'],
    ['with a second signature of the tree', (text) => doubled(text, 2), 'signature'],
    ['with a further part', (text) => `${text}\nmore\n`, 'five parts'],
    ['without its certificate', (text) => text.split('\n\n').slice(0, 3).join('\n\n'), 'five parts'],
    ['without an index', (text) => text.replace('index 0\n', ''), 'no index'],
    ['with returns', (text) => text.replaceAll('\n', '\r\n'), 'begin with'],
    ['with a huge index', (text) => text.replace('index 0', `index ${'9'.repeat(30)}`), 'decimal number'],
    ['with a size in another form', (text) => text.replace('\n3\n', '\n03\n'), 'decimal number'],
    ['that is too long', (text) => text + ' '.repeat(PROMISE_CHARACTERS_MAX), 'longer than'],
    ['that is something else', () => 'c2sp.org/tlog-proof@v1\nindex 0\n\n', 'begin with'],
    ['that is empty', () => '', 'begin with'],
  ];
  test.each(CHANGES)('is a promise %s', async (_, change, reason) => {
    const text = await sample();
    const changed = change(text);
    expect(changed).not.toBe(text);
    expect(await refusal(changed)).toContain(reason);
  });

  /** Writes the first signature of a part once more, as one of an unknown key. */
  function doubled(text: string, part: number): string {
    const parts = text.split('\n\n');
    parts[part] = `${parts[part]}\n${(parts[part] ?? '').replace('/promises ', '/others ')}`;
    return parts.join('\n\n');
  }
});

describe('a character that is changed', () => {
  let text: string;
  beforeAll(async () => {
    text = await sample({}, 1);
  });

  test('anywhere in a promise makes it another one, which nobody signed', async () => {
    for (let at = 0; at < text.length; at++) {
      const changed = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
      expect(await refusal(changed), `${at}: ${changed.slice(Math.max(0, at - 20), at + 20)}`).not.toBe('');
    }
  });

  test('and one that is left out is noticed, too', async () => {
    for (let at = 0; at < text.length; at++) expect(await refusal(text.slice(0, at) + text.slice(at + 1)), `${at}`).not.toBe('');
  });
});
