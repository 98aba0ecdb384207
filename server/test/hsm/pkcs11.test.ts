import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatVkey, KEY_TYPE, noteVerifier, openNote, parseVkey, verifierKey, verifyBundle, verifyPromise } from '@waybill/proof';
import { beforeAll, expect, test } from 'vitest';
import { keyFromCommand } from '../../src/modules/log/signing-key.ts';
import { LogReader } from '../support/log.ts';
import { CHECKOUT, runProgram, temporaryFolder, until } from '../support/process.ts';
import { untilLogged } from '../support/proofs.ts';
import { createDatabase, startTestService } from '../support/service.ts';

/** `npm run test:hsm` runs this with SoftHSM. The commands are those of docs/operations.md. */
const folder = temporaryFolder();
const PROGRAM = path.join(CHECKOUT, 'examples/log-key/pkcs11-sign.sh');
let publicKey: Buffer;

beforeAll(() => {
  const tokens = path.join(folder, 'tokens');
  mkdirSync(tokens);
  process.env['SOFTHSM2_CONF'] = path.join(folder, 'softhsm2.conf');
  writeFileSync(process.env['SOFTHSM2_CONF'], `directories.tokendir = ${tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`);
  const guide = readFileSync(path.join(CHECKOUT, 'docs/operations.md'), 'utf8');
  const [, commands = ''] = /```sh\n(export PKCS11_MODULE=[\s\S]*?)```/.exec(guide) ?? [];
  const script = `set -e\n${commands.replace(/PKCS11_MODULE=\S+/, `PKCS11_MODULE=${process.env['PKCS11_MODULE']}`)}\nenv`;
  const env = execFileSync('sh', ['-c', script], { cwd: CHECKOUT, encoding: 'utf8' });
  // The programs of the tests get them from the environment, as those of a service do.
  for (const [, name = '', value] of env.matchAll(/^((?:PKCS11|LOG)_\w+)=(.*)$/gm)) process.env[name] = value;
  publicKey = Buffer.from(process.env['LOG_PUBLIC_KEY'] ?? '', 'base64');
});

const settings = () => ({ LOG_KEY_COMMAND: PROGRAM, LOG_PUBLIC_KEY: publicKey.toString('base64') });

test('the guide’s commands make a key, and the program signs with it what a log signs', async () => {
  expect([process.env['LOG_KEY_COMMAND'], publicKey.length]).toEqual([PROGRAM, 32]);
  const key = keyFromCommand(PROGRAM, publicKey);
  for (const bytes of [1, 200, 1_024]) expect(await key.sign(Buffer.alloc(bytes, 'x'))).toHaveLength(64);
  process.env['PKCS11_PIN'] = '0000';
  await expect(key.sign(Buffer.from('x'))).rejects.toThrow('LOG_KEY_COMMAND has ended with 1');
  process.env['PKCS11_PIN'] = '1234';
});

test('a log is signed by the module from its beginning, and so are the keys of promises', async () => {
  const service = await startTestService({ ...settings(), LOG_KEY_PLAINTEXT: 'refuse' });
  const acme = await service.business('acme');
  const { origin, vkey } = (await new LogReader(service.url).wellKnown()).log;
  expect(vkey).toBe(formatVkey(verifierKey(origin, KEY_TYPE.ed25519, publicKey)));
  const { body: sent, promises: [promise = ''] = [] } = await acme.api.send({ to: 'acme' });
  expect((await verifyPromise(promise, { vkeys: [vkey] })).verdict).toBe('verified');
  const proof = await untilLogged(() => acme.api.get(`/messages/${sent.id}/proof`));
  expect((await verifyBundle(proof.text, { vkeys: [vkey] })).verdict).toBe('verified');
  await service.stop();
});

test('the key of a log that the service has made moves to the module', async () => {
  const DATABASE_URL = await createDatabase();
  const SECRETS_KEY = Buffer.alloc(32, 1).toString('base64');
  const before = await startTestService({ DATABASE_URL, SECRETS_KEY });
  const { origin, vkey } = (await new LogReader(before.url).wellKnown()).log;
  await before.stop();
  const ofModule = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(PKCS11|SOFTHSM2)_/.test(name)));
  const env = { DATABASE_URL, SECRETS_KEY, ...settings(), ...ofModule };
  const { stdout, stderr } = await runProgram('cli', { env, args: ['log', 'rotate-key', '--from-settings', '--json'] });
  expect(stderr).toBe('');
  const newKey = formatVkey(verifierKey(origin, KEY_TYPE.ed25519, publicKey));
  expect(JSON.parse(stdout)).toEqual({ old_key: vkey, new_key: newKey });
  const after = await startTestService({ DATABASE_URL, SECRETS_KEY, ...settings() });
  await until(async () => ((await new LogReader(after.url).checkpoint())?.size ?? 0) > 0);
  const note = await (await fetch(`${after.url}/log/checkpoint`)).text();
  expect((await openNote(note, [vkey, newKey].map(parseVkey).map(noteVerifier))).verified).toHaveLength(2);
  await after.stop();
});
