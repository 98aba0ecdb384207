import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { canonicalJson, Waybill } from '@waybill/client';
import { type Bundle, formatBundle, formatProof, inclusionProof, leafOf, leafOfStatement } from '@waybill/proof';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { LogReader } from '../../../server/test/support/log.ts';
import { temporaryFolder } from '../../../server/test/support/process.ts';
import { startTestService } from '../../../server/test/support/service.ts';
import { newSigningKey } from '../../../server/test/support/signing.ts';
import { SmallLog } from '../../../server/test/support/small-log.ts';
import { linkOf, said } from '../../proof/test/support/sample-message.ts';
import { CommandLine } from './support/command-line.ts';
import { honest, type Lie, logServer } from './support/log-server.ts';

/* The audit remembers what proofs of messages have shown, and tells if a later one shows less. */

let log: SmallLog;
let lie: Lie = honest;
let folder: string;
let commandLine: CommandLine;
const server = logServer(
  () => ({ log, lie, vkey: log.vkey, former: [] }),
  () => {},
);
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());
beforeEach(() => {
  log = new SmallLog('log.example/log').add(300);
  lie = honest;
  folder = temporaryFolder();
  commandLine = new CommandLine({ HOME: folder });
});

const hashOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const { json_bytes_sha256: _bytes, files: _files, expires_at: _expiry, ...fields } = said().envelope;
const envelope = canonicalJson({ ...fields, files: [] });

function acknowledgement(status: string, before?: string): string {
  const words = said();
  const { at, message, party, reason } = linkOf(words, 'accepted');
  const acknowledgement = { actor: words.recipientActor, at, message, party, reason };
  const previous = before === undefined ? null : hashOf(before);
  return canonicalJson({ ...acknowledgement, content_hash: hashOf(envelope), number: before === undefined ? 1 : 2, previous, status });
}

const accepted = acknowledgement('accepted');
const processed = acknowledgement('processed', accepted);
const rejected = acknowledgement('rejected', accepted);

/** Adds the message and these statements to a log, with other entries in between. Returns their indexes. */
function addTo(target: SmallLog, ...statements: string[]): number[] {
  const leaves = [leafOf(1, hashOf(envelope)), ...statements.map((statement) => leafOfStatement(3, statement))];
  return leaves.map((leaf) => {
    target.entries.push(Buffer.from(leaf));
    target.add(2);
    return target.entries.length - 3;
  });
}

async function proofOf(target: SmallLog, index: number, size: number): Promise<string> {
  const hashes = await inclusionProof(index, size, async (level, tile, width) => target.tile(level, tile, width));
  return formatProof({ index, hashes, checkpoint: await target.checkpoint(size) });
}

/** Writes a proof that shows these statements in a tree of this size. */
async function write(name: string, indexes: readonly number[], statements: readonly string[], target = log, size = target.entries.length) {
  return writeProofs(name, await Promise.all(indexes.map((index) => proofOf(target, index, size))), statements);
}

function writeProofs(name: string, proofs: readonly string[], statements: readonly string[]): string {
  const acknowledgements = statements.map((statement, at) => ({ statement, proof: proofs[at + 1] ?? '' }));
  const bundle: Bundle = {
    format: 'waybill-proof/1',
    envelope,
    log: { origin: log.origin, vkey: log.vkey },
    proof: proofs[0] ?? '',
    acknowledgements,
  };
  const file = path.join(folder, `${name}.waybill-proof`);
  writeFileSync(file, formatBundle(bundle));
  return file;
}

const audit = (...proofs: string[]) => commandLine.run(['log', 'audit', address(), ...proofs.flatMap((file) => ['--proof', file])]);
const evidence = () => {
  const logs = path.join(folder, '.config/waybill/logs');
  return readdirSync(logs)
    .filter((name) => name.includes('evidence'))
    .map((name) => readFileSync(path.join(logs, name), 'utf8'));
};

describe('proofs that are given to an audit', () => {
  test('are compared with each other: the chain of a message may grow, and an older proof may show less', async () => {
    const indexes = addTo(log, accepted);
    const early = await write('early', indexes, [accepted]);
    expect(await audit(early)).toMatchObject({ code: 0, stdout: expect.stringMatching(/, 1 message compared\n$/) });
    const older = await write('older', indexes.slice(0, 1), [], log, (indexes[0] ?? 0) + 1);
    log.entries.push(Buffer.from(leafOfStatement(3, processed)));
    const late = await write('late', [...indexes, log.entries.length - 1], [accepted, processed]);
    for (const proofs of [[late], [older], [early], [older, early, late]]) expect(await audit(...proofs)).toMatchObject({ code: 0 });
    expect((await audit()).stdout).not.toContain('compared');
  });

  test('convict a log that leaves out what it has shown before', async () => {
    const indexes = addTo(log, accepted, processed);
    expect((await audit(await write('first', indexes, [accepted, processed]))).code).toBe(0);
    log.add(10);
    const shorter = await write('shorter', indexes.slice(0, 2), [accepted]);
    const { code, stdout } = await audit(shorter);
    expect([code, stdout]).toEqual([1, expect.stringContaining('it shows a shorter chain than before, 1 in place of 2 statements')]);
    expect(evidence().map((text) => text.includes(readFileSync(shorter, 'utf8')))).toEqual([true]);
    // What was seen is not forgotten.
    expect((await audit(shorter)).code).toBe(1);
  });

  test('convict a log that says something else than before, in whatever order they come', async () => {
    const indexes = addTo(log, accepted, processed, rejected);
    const [message = 0, first = 0, second = 0, other = 0] = indexes;
    const one = await write('one', [message, first, second], [accepted, processed]);
    const two = await write('two', [message, first, other], [accepted, rejected]);
    expect((await audit(one)).code).toBe(0);
    expect(await audit(two)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('the statement with the number 2 is another one than before'),
    });
  });

  test('must be of the history that is audited', async () => {
    const other = log.fork(200).add(100, 'other');
    const shown = await write('other', addTo(other, accepted), [accepted], other);
    addTo(log, accepted);
    const { code, stdout } = await audit(shown);
    expect([code, stdout]).toEqual([1, expect.stringContaining('that one is another history')]);
    expect(evidence()).toHaveLength(1);
  });

  test('must be of it with all that they show: an acknowledgement in another history of another size does not pass', async () => {
    const [message = 0] = addTo(log);
    const other = log.fork(log.entries.length).add(10, 'other');
    const [, said = 0] = addTo(other, accepted);
    const proofs = [await proofOf(log, message, log.entries.length), await proofOf(other, said, other.entries.length)];
    log.add(100);
    const { code, stdout } = await audit(writeProofs('forked', proofs, [accepted]));
    expect([code, stdout]).toEqual([1, expect.stringContaining('that one is another history')]);
    expect(evidence()).toHaveLength(1);
  });

  test('must not be newer than what was audited: nothing is compared, or remembered', async () => {
    const indexes = addTo(log, accepted);
    const ahead = log.fork(log.entries.length).add(1);
    const [early, shown] = [await write('early', indexes, [accepted]), await write('ahead', indexes, [accepted], ahead)];
    const newer = { code: 2, stderr: expect.stringContaining('is newer than the audited log: it shows a tree of 307 entries') };
    expect(await audit(early, shown)).toMatchObject(newer);
    const link = [await proofOf(log, indexes[0] ?? 0, 306), await proofOf(ahead, indexes[1] ?? 0, 307)];
    expect(await audit(writeProofs('link', link, [accepted]))).toMatchObject(newer);
    expect(readdirSync(path.join(folder, '.config/waybill/logs'))).toHaveLength(1);
    log.add(1);
    expect(await audit(early, shown)).toMatchObject({ code: 0, stdout: expect.stringMatching(/, 1 message compared\n$/) });
  });

  test('are compared with what was audited before, if the log shows an older checkpoint now', async () => {
    const indexes = addTo(log, accepted);
    const shown = await write('shown', indexes, [accepted]);
    const older = await log.checkpoint(300);
    expect((await audit()).code).toBe(0);
    lie = (at) => at === 'checkpoint' && Buffer.from(older);
    expect(await audit(shown)).toMatchObject({ code: 0, stdout: expect.stringMatching(/an older checkpoint.*, 1 message compared\n$/) });
  });

  test('may be signed for another name of the service', async () => {
    const service = await startTestService({ PUBLIC_URL: 'https://waybill.example' });
    onTestFinished(() => service.stop());
    const acme = await service.business('acme');
    const waybill = new Waybill({ baseUrl: service.url, key: acme.secret, signingKey: await newSigningKey(service, acme) });
    const shown = path.join(folder, 'signed.waybill-proof');
    writeFileSync(shown, await waybill.proof((await waybill.send({ to: 'acme', note: 'signed for 127.0.0.1' })).id));
    const { vkey } = (await new LogReader(service.url).wellKnown()).log;
    const auditAt = (url: string, ...more: string[]) =>
      commandLine.run(['log', 'audit', url, '--vkey', vkey, '--proof', shown, '--state', path.join(folder, 'state.json'), ...more]);
    expect(await auditAt(service.url)).toMatchObject({ code: 0, stdout: expect.stringContaining('1 message compared') });
    const elsewhere = service.url.replace('127.0.0.1', 'localhost');
    expect(await auditAt(elsewhere)).toMatchObject({ code: 2, stderr: expect.stringContaining('is not verified') });
    expect((await auditAt(elsewhere, '--authority', new URL(service.url).host)).code).toBe(0);
  });

  test('must be proofs of this log', async () => {
    const stranger = new SmallLog(log.origin).add(300);
    const shown = await write('stranger', addTo(stranger, accepted), [accepted], stranger);
    expect(await audit(shown)).toMatchObject({ code: 2, stderr: expect.stringContaining('is not verified by the key of this log') });
    const text = path.join(folder, 'no.waybill-proof');
    writeFileSync(text, '{}');
    expect((await audit(text)).code).toBe(2);
    expect(await audit(path.join(folder, 'missing'))).toMatchObject({ code: 2, stderr: expect.stringContaining('Couldn’t read') });
    expect((await audit()).code).toBe(0);
  });
});
