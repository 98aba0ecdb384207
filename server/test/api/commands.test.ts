import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { settingsFor } from '../support/database-server.ts';
import { commandsOf, runCommands } from '../support/document-shell.ts';
import { type ExampleWorld, openExampleWorld } from '../support/examples/world.ts';
import { freePort } from '../support/free-port.ts';
import { codesFor, signInWithCode } from '../support/people.ts';
import { until } from '../support/process.ts';
import { untilSearchable } from '../support/search.ts';

const DOCS = path.resolve(import.meta.dirname, '../../../docs');

/** Commands that need another machine, or start the whole service: tests of their own do what they say. */
const ELSEWHERE = [
  [/\bnpm (ci|start)\b/, 'starts the service: faults/start, faults/processes'],
  [/\bnpm (install|run pack)\b/, 'installs packages: distribution/test'],
  [/\b(docker|kubectl)\b/, 'containers'],
  [/\b(psql|pg_dump|pg_restore)\b/, 'a PostgreSQL on another host'],
  [/^aws /m, 'a bucket of Amazon'],
  [/test:s3|schema-suite|s3-server-process/, 'runs tests, or the server of a test'],
  [/ distribute /, 'distributes the database: faults/shards'],
  [/\bwaybill witness\b/, 'runs until it is stopped: faults/witness-crashes'],
  [/^(OUTBOUND_PROXY|SECRETS_KEY)=/, 'a setting'],
  [/verify\.py|openssl ts/, 'Python and OpenSSL: packages/proof/test'],
] as const;
const isElsewhere = (block: string) => ELSEWHERE.some(([pattern]) => pattern.test(block));

interface Walk {
  /** What happened before. */
  before?: () => Promise<unknown>;
  /** What the output shows when all went well. */
  shows: RegExp[];
  /** What a reader replaces by hand. */
  edits?: () => [text: string | RegExp, by: string][] | Promise<[text: string | RegExp, by: string][]>;
  /** What a reader does beside the shell. */
  meanwhile?: () => Promise<void>;
  /** How many requests the service refuses, where a document shows that. */
  refused?: number;
}

let world: ExampleWorld;
let env: Record<string, string>;

beforeAll(async () => {
  world = await openExampleWorld();
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
  env = {
    ...{ URL: service.url, KEY: acme.key, THEIR_KEY: globex.key, AGENT: acme.agentId },
    ...{ WEBHOOK: webhook.id, MESSAGE: message.id, THREAD: sent.thread_id },
    ...settingsFor(inject('databaseServer'), service.databaseUrl),
    DATABASE_URL: service.databaseUrl,
    CODE_FILE: path.join(inject('runFolder'), 'code-of-the-guide'),
  };
});
afterAll(() => world.stop());

const FILES = 'head -c 2000000 /dev/urandom > scan.tiff; cp scan.tiff invoice.pdf; echo "{}" > invoice.json; echo terms > terms.txt';

const walks: Record<string, Walk> = {
  'guides/first-message.md': {
    edits: () => [
      [/KEY=wb_….*\nTHEIR_KEY=wb_….*\n/, ''],
      [/waybill\(\) .*\n/, ''],
      [/\bwaybill (?=business|agent|key)/g, 'npm run --silent waybill -- '],
    ],
    shows: [/"handle":"initech"/, /"subject":"Order 4711"/, /"receipt_url"/, /"json_sha256":"sha256:([0-9a-f]{64})"[\s\S]*\n\1 {2}-/],
  },
  'guides/replies.md': {
    before: () => world.acme.api.send({ to: 'globex/orders', note: 'Hello' }),
    shows: [/"in_reply_to":"msg_/, /"type":"order.accepted"/],
  },
  'guides/receive-orders-by-webhook.md': {
    edits: async () => {
      const port = String(await freePort());
      return [
        ['https://hooks.example.com/waybill', `http://127.0.0.1:${port}/`],
        ['PORT=4000', `PORT=${port}`],
        [/\n\n(?=WEBHOOK=)/, '\nsleep 1\n'],
        [/(?=curl -s \$URL\/v1\/webhooks\/\$WEBHOOK\/deliveries)/, 'sleep 2; '],
      ];
    },
    shows: [/"secret":"whsec_/, /"queued":true/, /"status":"delivered"/],
  },
  'guides/receive-behind-a-firewall.md': { shows: [/"lease_until"/, /"acknowledged"|"ids"|"unknown":\[\]/, /"lag":/] },
  'guides/hand-over.md': {
    shows: [/"assignee":\{[^}]*"id":"agt_/, /"assignee":\{[^}]*"id":"usr_/, /"labels":\["decide"\]/, /"status":"done"/],
  },
  'guides/large-files.md': {
    edits: () => [['50000000', '2000000']],
    shows: [/"upload_url"/, /"filename":"scan.tiff"/, /([0-9a-f]{64}) {2}scan.tiff\n\1 {2}received.tiff/, /receipt http/],
  },
  'guides/verify-a-receipt.md': {
    edits: () => [[/\bwaybill (?=receipt)/g, 'npm run --silent waybill -- ']],
    shows: [
      /Saved order-4711\.waybill-proof/,
      /Saved receipt\.waybill-proof/,
      /in the log [^\n]*\/log\b[\s\S]*The JSON in the file is that of the message[\s\S]*^Verified$/m,
      /([0-9a-f]{64}) {2}-\n"json_sha256":"sha256:\1"/,
    ],
  },
  'guides/audit-the-operator.md': {
    // The first checkpoint is signed a moment after the first message.
    before: () => until(async () => (await fetch(`${world.service.url}/log/checkpoint`)).ok),
    edits: () => [[/\bwaybill log/, `XDG_CONFIG_HOME=$(mktemp -d) npm run --silent waybill -- log`]],
    shows: [/\/log: [\d,]+ entries, consistent since 20\d\d-/],
  },
  'guides/migrate-from-email.md': { shows: [/"drop_page"|"addresses"/, /initech\.example/, /"published":true/] },
  'guides/run-it-for-real.md': {
    edits: () => [
      ['business create initech', 'business create hooli'],
      ['agent create initech', 'agent create hooli'],
      ['verify initech initech.com', 'verify hooli hooli.com'],
    ],
    shows: [/"status":"ok"/, /^waybill_http_/m],
  },
  'guides/for-programs.md': { refused: 1, shows: [/idempotent-replayed: true/i, /"code":"validation_error"/, /"id":"msg_/] },
  'guides/agents-mcp.md': { shows: [/"handle":"acme"/] },
  'guides/verify-ed25519.md': { shows: [/"public_key":"whpk_/] },
  'guides/inbox-schema.md': { shows: [/"status":"failed"/] },
  'guides/people.md': {
    edits: () => [
      [/(?=as-me \$URL\/auth\/sign-in\/email-otp)/, 'until [ -s "$CODE_FILE" ]; do sleep 0.1; done; '],
      ['123456', `'$(cat "$CODE_FILE")'`],
    ],
    meanwhile: async () => {
      const codes = () => codesFor(world.service, 'ann@acme-works.test');
      await expect.poll(async () => (await codes()).length).toBe(1);
      writeFileSync(env['CODE_FILE'] ?? '', (await codes()).join());
    },
    shows: [/"handle":"acme-works"/, /"secret":"wb_/, /"state":"pending"/],
  },
  'contacts.md': { shows: [/"label":"Our supplier"/, /"email_domain":"example.com"/] },
  'files.md': { edits: () => [[/^/, `${FILES}\n`]], shows: [/"filename":"terms.txt"/, /"upload_id"/, /[0-9a-f]{64} {2}received.tiff/] },
  'guide.md': { edits: () => [[/(curl -sN .*)/, 'timeout 2 $1 || true']], shows: [/"json":\{"total":1\.0\}/] },
  'proof.md': {
    edits: () => [[/^/, `cd ${DOCS}/proof/vectors\nwaybill() { node ${path.resolve(DOCS, '../packages/cli/src/main.ts')} "$@"; }\n`]],
    shows: [/^ok +time .*whom you trust\.\nVerified$/m, /^ok +witnesses .*\nVerified$/m],
  },
  'schemas.md': { shows: [/"minimum"/] },
  'search.md': { shows: [/"data":\[/] },
  'threads.md': { shows: [/"status":"done"/, /"text":"Please take over"/, /"name":"Urgent"/] },
  'webhooks.md': { shows: [/"secret":"whsec_/, /"id":"rcv_/] },
};

describe('the commands of', () => {
  test.each(Object.entries(walks))('docs/%s do what it says', async (file, { before, shows, edits, meanwhile, refused = 0 }) => {
    const blocks = commandsOf(`docs/${file}`).filter((block) => !isElsewhere(block));
    expect(blocks.length).toBeGreaterThan(0);
    await before?.();
    let script = blocks.join('\n');
    for (const [text, by] of (await edits?.()) ?? []) {
      const edited = typeof text === 'string' ? script.replaceAll(text, () => by) : script.replace(text, by);
      expect(edited, String(text)).not.toBe(script);
      script = edited;
    }
    const [ran] = await Promise.all([runCommands([script], env), meanwhile?.()]);
    expect(ran.refused, ran.output).toHaveLength(refused);
    for (const pattern of shows) expect(ran.output).toMatch(pattern);
  });

  test('all documents are run, but for commands that need another machine', () => {
    const documents = [...readdirSync(DOCS), ...readdirSync(path.join(DOCS, 'guides')).map((name) => `guides/${name}`)];
    const withCommands = documents.filter(
      (name) =>
        name.endsWith('.md') && commandsOf(`docs/${name}`).some((block) => !isElsewhere(block) && !/^npm run --silent waybill/.test(block)),
    );
    // The guide for an outage has a test of its own.
    expect(withCommands.sort()).toEqual([...Object.keys(walks), 'guides/endpoint-was-down.md'].sort());
  });
});
