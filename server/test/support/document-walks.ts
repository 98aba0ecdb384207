import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { documentType } from '@waybill/documents';
import { expect } from 'vitest';
import type { Reader } from './document-shell.ts';
import type { ExampleWorld } from './examples/world.ts';
import { freePort } from './free-port.ts';
import { codesFor } from './people.ts';
import { until } from './process.ts';
import { createDatabase } from './service.ts';
import { newSigningKey } from './signing.ts';

export interface Surroundings {
  world: ExampleWorld;
  env: Record<string, string>;
}

type Edit = [text: string | RegExp, by: string];

export interface Walk {
  before?(surroundings: Surroundings): Promise<unknown>;
  prepare?: string;
  shows: RegExp[];
  /** The text that a reader replaces by hand. */
  edits?(surroundings: Surroundings): Edit[] | Promise<Edit[]>;
  /** The actions of a reader beside the shell. */
  meanwhile?(surroundings: Surroundings): Promise<void>;
  /** The number of requests that the service refuses, where a document shows that. */
  refused?: number;
}

const FILES = 'head -c 2000000 /dev/urandom > scan.tiff; cp scan.tiff invoice.pdf; echo "{}" > invoice.json; echo terms > terms.txt';
const aReply = ({ world }: Surroundings) => world.acme.api.send({ to: 'globex/orders', note: 'Hello' });
const anOrder = ({ world }: Surroundings) =>
  world.globex.api.send({ to: 'acme/purchasing', type: 'order.new', subject: 'PO-49', json: { order: 4712 } });

/** Registers a new signing key. */
async function withSigningKey({ world, env }: Surroundings): Promise<Edit[]> {
  const key = await newSigningKey(world.service, { handle: 'acme', agentId: world.acme.agentId });
  env['SIGNING_KEY'] = key.privateKey;
  return [['sgk_…', key.id]];
}

async function registerPublicKey({ world, env }: Surroundings): Promise<void> {
  const shown = () => (existsSync(`${env['CODE_FILE']}.key`) ? readFileSync(`${env['CODE_FILE']}.key`, 'utf8') : '');
  await until(() => /^ {2}\S{44}$/m.test(shown()));
  const { owner, agentId } = world.acme;
  const added = await owner.post(`/agents/${agentId}/signing-keys`, { public_key: /^ {2}(\S{44})$/m.exec(shown())?.[1] });
  expect(added.status, added.text).toBe(201);
}

/** Gives a reader's receiver a free port. It ends with the first delivery. */
async function ownPort(...more: Edit[]): Promise<Edit[]> {
  const port = String(await freePort());
  return [['https://hooks.example.com/waybill', `http://127.0.0.1:${port}/`], [/\b4000\b/, port], ...more];
}

/** All documents with samples, and the readers who can follow them. */
export const WALKS: Record<string, Partial<Record<Reader, Walk>>> = {
  'README.md': {
    curl: {
      before: aReply,
      edits: () => [
        ['http://127.0.0.1:3000', '$URL'],
        ['$ACME_KEY', '$KEY'],
        ['$GLOBEX_KEY', '$THEIR_KEY'],
        ['"msg_…"', `"'$(curl -s "$URL/v1/inbox?limit=1" -H "Authorization: Bearer $THEIR_KEY" | grep -o 'msg_[0-9a-z]*' | head -n 1)'"`],
        [
          'receipt proof msg_…',
          `receipt proof --url $URL --key $KEY $(curl -s "$URL/v1/outbox?limit=1" -H "Authorization: Bearer $KEY" | grep -o 'msg_[0-9a-z]*' | head -n 1)`,
        ],
        ['waybill.example.com/log+…', `$(curl -s $URL/.well-known/waybill.json | grep -o '"vkey":"[^"]*"' | head -n 1 | cut -d '"' -f 4)`],
      ],
      shows: [/"subject":"Order 4711"/, /"note":"Thank you, it ships tomorrow."/, /Saved order-4711[\s\S]*^Verified$/m],
    },
  },
  'packages/cli/README.md': {
    curl: {
      before: anOrder,
      prepare: `echo '{"total":12}' > order.json; echo %PDF > drawing.pdf`,
      edits: async () => [
        ['https://waybill.example.com', '$URL --key $KEY'],
        ['waybill tail', 'timeout 5 node $CHECKOUT/packages/cli/src/main.ts tail --since 2026-01-01T00:00:00Z || true'],
        [/waybill listen (.*)\n/, 'timeout 10 node $CHECKOUT/packages/cli/src/main.ts listen $1 &\nsleep 2\n'],
        ['localhost:3000', `localhost:${await freePort()}`],
        ['waybill trigger order', `waybill trigger order --data '{"total":12}'; sleep 2`],
      ],
      shows: [/Logged in/, /Delivered msg_/, /failed +\d+ ms +msg_/, /^12$/m],
    },
  },
  'docs/guides/first-message.md': {
    curl: {
      edits: () => [[/export KEY=wb_….*\nexport THEIR_KEY=wb_….*\n/, '']],
      shows: [/"handle":"initech"/, /"subject":"Order 4711"/, /"receipt_url"/, /"json_sha256":"sha256:([0-9a-f]{64})"[\s\S]*\n\1 {2}-/],
    },
    TypeScript: {
      edits: () => [['order-4711', 'order-in-typescript']],
      shows: [
        /^acme\nmsg_\w+ http\S+\nOrder 4711 \{"items":\[\{"quantity":3,"sku":"A-1"\}\]\}\nPurchasing\n/,
        /content: 'matches',\s+json: 'matches'/,
      ],
    },
    Python: {
      edits: () => [['order-4711', 'order-in-python']],
      shows: [/^acme\nmsg_\w+ http\S+\nOrder 4711 \{"items": ?\[.*\]\}\nPurchasing\n20\S+ sha256:/],
    },
    CLI: {
      edits: () => [['order-4711', 'order-by-command']],
      shows: [/Business +Acme/, /"subject":"Order 4711"/, /From +acme/, /^Verified$/m],
    },
  },
  'docs/guides/replies.md': {
    curl: { before: aReply, shows: [/"in_reply_to":"msg_/, /"type":"order.accepted"/] },
    TypeScript: { before: aReply, shows: [/^msg_\w+ msg_\w+\n/, /Globex It ships tomorrow\.\ntrue\n$/] },
    Python: { before: aReply, shows: [/^msg_\w+ msg_\w+\n/, /Globex It ships tomorrow\.\nTrue\n$/] },
    CLI: { before: aReply, shows: [/"in_reply_to":"msg_/, /It ships tomorrow\./, /globex +order\.accepted/] },
  },
  'docs/guides/receive-orders-by-webhook.md': {
    curl: {
      edits: () => ownPort([/\n\n(?=WEBHOOK=)/, '\nsleep 1\n'], [/(?=curl -s \$URL\/v1\/webhooks\/\$WEBHOOK\/deliveries)/, 'sleep 2; ']),
      shows: [/"secret":"whsec_/, /"queued":true/, /"status":"delivered"/],
    },
    TypeScript: {
      edits: () => ownPort(['(204).end();', '(204).end(() => process.exit());']),
      shows: [/^wh_\w+ whsec_\S+\nmessage\.test /],
    },
    Python: { edits: () => ownPort(['serve_forever()', 'handle_request()']), shows: [/^wh_\w+ whsec_\S+\nmessage\.test /] },
    CLI: { edits: () => ownPort([/\n\n(?=WEBHOOK=)/, '\nsleep 1\n']), shows: [/delivered 204/, /message\.test/] },
  },
  'docs/guides/receive-behind-a-firewall.md': {
    curl: { shows: [/"lease_until"/, /"acknowledged"|"ids"|"unknown":\[\]/, /"lag":/] },
    TypeScript: {
      before: anOrder,
      edits: () => [
        ["'billing'", "'billing-in-typescript'"],
        [
          /await billing\.ack.*/,
          'await billing.ack(leased.slice(1).map(({ message }) => message.id));\nawait billing.release([leased[0].message.id]);',
        ],
        ["console.log('working on'", "stopping.abort();\n    console.log('working on'"],
      ],
      shows: [/^msg_\w+ \S+ 1\n/, /working on msg_/, /\n0 0 null\n$/],
    },
    Python: {
      before: anOrder,
      edits: () => [
        ['"billing"', '"billing-in-python"'],
        ['ids = [each.message.id for each in leased]', 'ids = [each.message.id for each in leased[1:]]'],
        [
          /(waybill\.do\(operations\.post_consumers_name_ack.*)/,
          '$1\nwaybill.do(operations.post_consumers_name_release("billing-in-python", {"holder": "worker-1", "ids": [leased[0].message.id]}))',
        ],
        ['    print("working on"', '    stop.set()\n    print("working on"'],
      ],
      shows: [/^msg_\w+ \S+ 1\n/, /working on msg_/, /\n0 0 .+\n$/],
    },
    CLI: {
      before: anOrder,
      prepare:
        'curl -s -X PUT $URL/v1/consumers/billing-by-command -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" -d \'{"start":"beginning"}\'',
      edits: async () => {
        const port = await freePort();
        return [
          [/^waybill listen (.*)\n/, 'timeout 5 node $CHECKOUT/packages/cli/src/main.ts listen $1 || true\n'],
          [/^/, `node -e "require('http').createServer((q, r) => r.writeHead(204).end()).listen(${port})" &\nsleep 1\n`],
          ['localhost:4000', `localhost:${port}`],
          ['billing', 'billing-by-command'],
        ];
      },
      shows: [/ 20\d +\d+ ms +msg_/],
    },
  },
  'docs/guides/hand-over.md': {
    curl: {
      shows: [/"assignee":\{[^}]*"id":"agt_/, /"assignee":\{[^}]*"id":"usr_/, /"labels":\["decide"\]/, /"status":"done"/],
    },
    TypeScript: { before: anOrder, shows: [/Purchasing The price is 12 %/, /\ndone\n$/] },
    Python: { before: anOrder, shows: [/Purchasing The price is 12 %/, /\ndone\n$/] },
  },
  'docs/guides/large-files.md': {
    curl: {
      edits: () => [['50000000', '2000000']],
      shows: [/"upload_url"/, /"filename":"scan.tiff"/, /([0-9a-f]{64}) {2}scan.tiff\n\1 {2}received.tiff/, /receipt http/],
    },
    TypeScript: { prepare: FILES, shows: [/^true\n$/] },
    Python: { prepare: FILES, shows: [/^upl_\w+ \d+ of 2000000\n/, /True\n$/] },
    CLI: { prepare: FILES, shows: [/Delivered msg_/, /received\.tiff/] },
  },
  'docs/guides/verify-a-receipt.md': {
    curl: {
      shows: [
        /Saved order-4711\.waybill-proof/,
        /Saved receipt\.waybill-proof/,
        /in the log [^\n]*\/log\b[\s\S]*The JSON in the file is that of the message[\s\S]*^Verified$/m,
        /([0-9a-f]{64}) {2}-\n"json_sha256":"sha256:\1"/,
      ],
    },
    TypeScript: { shows: [/content: 'matches',\s+json: 'matches'/] },
    Python: { shows: [/^c2sp\.org\/tlog-proof@v1$/m] },
  },
  'docs/guides/signatures.md': {
    curl: { shows: [/^[A-Za-z0-9+/]{43}=$/m, /"status":"accepted"/, /"data":\[\{"status":"accepted"/] },
    TypeScript: { edits: withSigningKey, shows: [/^msg_\w+ http/] },
    Python: { edits: withSigningKey, shows: [/^msg_\w+ http/] },
    CLI: {
      prepare: 'waybill signing-key > /dev/null 2> $CODE_FILE.key',
      meanwhile: registerPublicKey,
      shows: [/"type":"order"/],
    },
  },
  'docs/guides/audit-the-operator.md': {
    curl: {
      // The first checkpoint is signed a moment after the first message.
      before: ({ world }) => until(async () => (await fetch(`${world.service.url}/log/checkpoint`)).ok),
      edits: () => [[/\bwaybill log/, 'XDG_CONFIG_HOME=$(mktemp -d) waybill log']],
      shows: [/\/log: [\d,]+ entries, consistent since 20\d\d-/],
    },
  },
  'docs/proof.md': {
    curl: {
      prepare: 'cd $CHECKOUT/docs/proof/vectors',
      shows: [/^ok +time .*whom you trust\. .*\n(ok .*\n)*Verified$/m, /^ok +witnesses .*\nVerified$/m],
    },
  },
  'docs/guides/migrate-from-email.md': { curl: { shows: [/"drop_page"|"addresses"/, /initech\.example/, /"published":true/] } },
  'docs/guides/run-it-for-real.md': {
    curl: {
      edits: () => [
        ['business create initech', 'business create hooli'],
        ['agent create initech', 'agent create hooli'],
        ['verify initech initech.com', 'verify hooli hooli.com'],
      ],
      shows: [/"status":"ok"/, /^waybill_http_/m],
    },
  },
  'docs/guides/for-programs.md': { curl: { refused: 1, shows: [/idempotent-replayed: true/i, /"code":"validation_error"/, /"id":"msg_/] } },
  'docs/guides/agents-mcp.md': { curl: { shows: [/"handle":"acme"/] } },
  'docs/guides/verify-ed25519.md': { curl: { shows: [/"public_key":"whpk_/] } },
  'docs/guides/documents.md': { curl: { shows: [/"type":"order.confirmation"/, /"layout":/, /Expected 630.00/, /"status":"passed"/] } },
  'docs/guides/work-with-documents.md': {
    curl: {
      before: async ({ world: { acme } }) => {
        await acme.api.send({ to: 'globex', type: 'order', json: documentType('order')?.samples[0] });
      },
      shows: [/"data":/, /Ball bearing/, /<Order /],
    },
  },
  'docs/guides/inbox-schema.md': { curl: { shows: [/"status":"failed"/] } },
  'docs/guides/people.md': {
    curl: {
      edits: () => [
        [/(?=as-me \$URL\/auth\/sign-in\/email-otp)/, 'until [ -s "$CODE_FILE" ]; do sleep 0.1; done; '],
        ['123456', `'$(cat "$CODE_FILE")'`],
      ],
      meanwhile: async ({ world, env }) => {
        const codes = () => codesFor(world.service, 'ann@acme-works.test');
        await expect.poll(async () => (await codes()).length).toBe(1);
        writeFileSync(env['CODE_FILE'] ?? '', (await codes()).join());
      },
      shows: [/"handle":"acme-works"/, /"secret":"wb_/, /"state":"pending"/],
    },
  },
  'docs/contacts.md': { curl: { shows: [/"label":"Our supplier"/, /"email_domain":"example.com"/] } },
  'docs/files.md': {
    curl: {
      prepare: FILES,
      edits: () => [[/(node_modules\/.bin\/node server\/test\/support\/s3-server-process.ts .*)/, '$1 & sleep 3']],
      shows: [/"filename":"terms.txt"/, /"upload_id"/, /[0-9a-f]{64} {2}received.tiff/],
    },
  },
  'docs/guide.md': { curl: { edits: () => [[/(curl -sN .*)/, 'timeout 2 $1 || true']], shows: [/"json":\{"total":1\.0\}/] } },
  'docs/operations.md': {
    curl: {
      edits: ({ env }) => [
        ['business create initech', 'business create wayne'],
        ['agent create initech', 'agent create wayne'],
        ['verify initech initech.com', 'verify wayne wayne.com'],
        [/key create agt_… (.*)\n/, `key create ${env['AGENT']} $1 | tee key.json\n`],
        ['key_…', `$(grep -o 'key_[0-9a-z]*' key.json | head -n 1)`],
        [/(SECRETS_KEY=.*)/, '$1; printf %s $SECRETS_KEY | wc -c'],
      ],
      shows: [/"handle":"wayne"/, /"secret":"wb_/, /^44$/m],
    },
  },
  'docs/scale.md': {
    curl: {
      before: async ({ env }) => {
        env['UNDISTRIBUTED_URL'] = await createDatabase('undistributed');
      },
      edits: () => [[/^/, 'export DATABASE_URL=$UNDISTRIBUTED_URL DATABASE_DIRECT_URL=\n']],
      shows: [/4 shards/],
    },
  },
  'docs/schemas.md': { curl: { shows: [/"minimum"/] } },
  'docs/search.md': { curl: { shows: [/"data":\[/] } },
  'docs/threads.md': { curl: { shows: [/"status":"done"/, /"text":"Please take over"/, /"name":"Urgent"/] } },
  'docs/webhooks.md': {
    curl: { shows: [/"secret":"whsec_/, /"id":"rcv_/] },
    TypeScript: {
      // Signs like the service. The tests of webhooks compare it with the same library.
      edits: () => [
        [
          /(?=const message = new Webhook)/,
          `import { signWebhook } from '@waybill/client';
const [secret, body] = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', '{"id":"msg_1"}'];
const request = { headers: await signWebhook(secret, { id: 'msg_1', body }) };
`,
        ],
        [/$/, 'console.log(message);\n'],
      ],
      shows: [/id: 'msg_1'/],
    },
  },
};
