import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { pythonWith } from '../../../clients/test/python-environment.ts';
import { settingsFor } from '../support/database-server.ts';
import { CHECKOUT, READERS, type Reader, runSamples, samplesFor } from '../support/document-shell.ts';
import { type Surroundings, WALKS, type Walk } from '../support/document-walks.ts';
import { openExampleWorld } from '../support/examples/world.ts';
import { signInWithCode } from '../support/people.ts';
import { untilSearchable } from '../support/search.ts';

/** Samples that are not run here, with the reason: they need another machine, or have their own tests. */
const ELSEWHERE = [
  [/\b(npm (ci|start|run (dev|bench))|waybill start)\b/, 'starts the service: faults/start, faults/processes, faults/dev'],
  [/\bnpm (install|run pack)\b/, 'installs packages: distribution/test'],
  [/\bpip install\b/, 'installs packages: clients/test/python'],
  [/\b(docker|kubectl)\b/, 'containers'],
  [/\b(psql|pg_dump|pg_restore)\b/, 'a PostgreSQL on another host'],
  [/^aws /m, 'a bucket of Amazon'],
  [/test:s3|schema-suite/, 'runs tests'],
  [/\bwaybill witness\b/, 'runs until it is stopped: faults/witness-crashes'],
  [/\bpkcs11-tool\b/, 'a hardware module: test:hsm'],
  [/verify\.py|openssl ts/, 'Python and OpenSSL: packages/proof/test'],
] as const;
const isElsewhere = (sample: string) => ELSEWHERE.some(([pattern]) => pattern.test(sample));

/** Documents whose samples have tests of their own. */
const OWN_TESTS = ['docs/guides/endpoint-was-down.md', 'packages/client/README.md', 'clients/python/README.md'];

/** Functions that are copies of those in examples/, which api/documentation and examples/verify run. */
const VERIFIERS = ['docs/guides/receive-orders-by-webhook.md', 'docs/guides/verify-a-receipt.md', 'docs/guides/verify-ed25519.md'];

let surroundings: Surroundings;

beforeAll(async () => {
  const world = await openExampleWorld();
  const { service, acme, globex } = world;
  for (const type of ['order.new', 'invoice', 'order.placed'])
    await globex.api.send({ to: 'acme/purchasing', type, subject: `PO-48 ${type}`, json: { order: 4711 } });
  const dora = await signInWithCode(service, 'dora@initech.example');
  await dora.post('/v1/drops', { to: 'acme', subject: 'An order by mail', note: 'Three of A-1, please.' });
  const { body: sent } = await acme.api.send({ to: 'globex/orders', type: 'order', json: { a: 1 } });
  await globex.api.send({ in_reply_to: sent.id, note: 'Thank you.' });
  const { body: webhook } = await acme.api.write('POST', '/webhooks', { url: world.receiver.url('/hook') });
  const { body: message } = await globex.api.send({ to: 'acme/purchasing', type: 'order.new', json: {} });
  await untilSearchable(service);
  const env = {
    ...{ URL: service.url, KEY: acme.key, THEIR_KEY: globex.key, AGENT: acme.agentId, CHECKOUT },
    ...{ WEBHOOK: webhook.id, MESSAGE: message.id, THREAD: sent.thread_id },
    ...settingsFor(inject('databaseServer'), service.databaseUrl),
    DATABASE_URL: service.databaseUrl,
    LOG_KEY_PLAINTEXT: 'allow',
    CODE_FILE: path.join(inject('runFolder'), 'code-of-the-guide'),
  };
  surroundings = { world, env };
});
afterAll(() => surroundings.world.stop());

async function follow(file: string, reader: Reader, { before, prepare, shows, edits, meanwhile, refused = 0 }: Walk): Promise<void> {
  const samples = samplesFor(reader, file).filter((sample) => !isElsewhere(sample));
  expect(samples.length).toBeGreaterThan(0);
  await before?.(surroundings);
  let script = samples.join('\n');
  for (const [text, by] of (await edits?.(surroundings)) ?? []) {
    const edited = typeof text === 'string' ? script.replaceAll(text, () => by) : script.replace(text, by);
    expect(edited, String(text)).not.toBe(script);
    script = edited;
  }
  const [ran] = await Promise.all([runSamples(reader, script, surroundings.env, prepare), meanwhile?.(surroundings)]);
  expect(ran.refused, ran.output).toHaveLength(refused);
  for (const pattern of shows) expect(ran.output).toMatch(pattern);
}

const walksOf = (reader: Reader): [file: string, walk: Walk][] =>
  Object.entries(WALKS).flatMap(([file, { [reader]: walk }]) => (walk ? [[file, walk]] : []));

describe('the samples do what their document says:', () => {
  test.each(walksOf('curl'))('%s, commands', (file, walk) => follow(file, 'curl', walk));
  test.each(walksOf('CLI'))('%s, with the command waybill', (file, walk) => follow(file, 'CLI', walk));
  test.each(walksOf('TypeScript'))('%s, in TypeScript', (file, walk) => follow(file, 'TypeScript', walk));

  test.for(walksOf('Python'))('%s, in Python', async ([file, walk], { skip }) => {
    const python = await pythonWith(path.join(CHECKOUT, 'clients/python/pyproject.toml'));
    if (typeof python !== 'string') {
      console.warn(`The samples in Python were NOT run: ${python.missing}`);
      return skip();
    }
    surroundings.env['PYTHON'] = python;
    await follow(file, 'Python', walk);
  });
});

test('all samples are run', () => {
  const listed = (folder: string) => readdirSync(path.join(CHECKOUT, folder)).map((name) => path.posix.join(folder, name));
  const documents = ['README.md', ...['docs', 'docs/guides', 'packages/cli', 'packages/client', 'clients/python'].flatMap(listed)];
  for (const file of documents.filter((name) => name.endsWith('.md') && !OWN_TESTS.includes(name))) {
    const readers = READERS.filter((reader) => samplesFor(reader, file).some((sample) => !isElsewhere(sample)));
    const walked = READERS.filter((reader) => WALKS[file]?.[reader] !== undefined);
    const unwalked = readers.filter((reader) => !walked.includes(reader) && !(reader === 'Python' && VERIFIERS.includes(file)));
    expect([file, unwalked]).toEqual([file, []]);
  }
  expect(Object.keys(WALKS).filter((file) => !documents.includes(file))).toEqual([]);
});
