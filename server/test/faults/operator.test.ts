import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Holder, isLock, lockDataFolder } from '../../src/platform/processes/data-folder.ts';
import { Api } from '../support/api.ts';
import { startPrepared } from '../support/prepared-folder.ts';
import { CHECKOUT, type Ended, processesIn, runProgram, startProcess, temporaryFolder, until } from '../support/process.ts';

const run = promisify(execFile);
const UNKNOWN_AGENT = 'agt_01m7esn1ewfewbnh1q9v4wahsb';
const UNKNOWN_KEY = 'key_01m7esn1ewfewbnh1q9v4wahsb';

describe.each(['while the service runs', 'while it does not'] as const)('%s', (situation) => {
  const env = { DATA_DIR: temporaryFolder() };
  const command = (...args: string[]) => runProgram('cli', { env, args });

  beforeAll(async () => {
    const service = situation === 'while the service runs' ? await startProcess({ env }) : undefined;
    if (!service) expect(await command('migrate', '--new')).toMatchObject({ code: 0, stderr: '' });
    return async () => {
      await service?.stop();
      expect(processesIn(env.DATA_DIR)).toEqual([]);
    };
  });

  test('commands make a business, an agent and a key, and print one JSON object each', async () => {
    const business = objectOf(await command('business', 'create', 'Initech', '--name', 'Initech Ltd', '--json'));
    expect(business).toEqual({ handle: 'initech', display_name: 'Initech Ltd' });
    const agent = objectOf(await command('agent', 'create', 'initech', '--name', 'Till', '--segment', 'till', '--json'));
    expect(agent).toEqual({ id: expect.stringMatching(/^agt_[0-9a-z]{26}$/), name: 'Till', segment: 'till' });
    const plain = objectOf(await command('agent', 'create', 'initech', '--name', 'No segment', '--json'));
    expect(plain).toEqual({ id: expect.stringMatching(/^agt_/), name: 'No segment', segment: null });
    const key = objectOf(await command('key', 'create', agent.id, '--scope', 'read', '--json'));
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      scope: 'read',
      secret: expect.stringMatching(/^wb_[0-9A-Za-z]{36}$/),
    });
    expect(objectOf(await command('key', 'revoke', key.id, '--json'))).toEqual({ id: key.id, revoked: true });
    expect(objectOf(await command('migrate', '--json'))).toEqual({ applied: [] });
  });

  test('commands verify a domain of a business, and take it away', async () => {
    const verified = { handle: 'initech', domain: 'xn--bro-hoa.initech.example' };
    expect(objectOf(await command('domain', 'verify', 'INITECH', 'Büro.Initech.Example.', '--json'))).toEqual(verified);
    expect(objectOf(await command('domain', 'remove', 'Initech', 'BÜRO.initech.example', '--json'))).toEqual(verified);
  });

  test('a mistake gets one sentence and exit code 1', async () => {
    expectOneSentence(await command('business', 'create', 'initech', '--name', 'Another'), /initech is already taken/);
    expectOneSentence(await command('key', 'create', UNKNOWN_AGENT, '--scope', 'read'), /agent was not found/);
  });

  test('without --json they say what was done, for people', async () => {
    const made = await command('business', 'create', 'hooli', '--name', 'Hooli');
    expect(made).toMatchObject({ code: 0, stderr: '', stdout: 'Created the business hooli (Hooli).\n' });
    const verified = await command('domain', 'verify', 'hooli', 'Hooli.example');
    expect(verified).toMatchObject({ code: 0, stderr: '', stdout: 'hooli.example is a verified domain of hooli.\n' });
    const removed = await command('domain', 'remove', 'Hooli', 'hooli.example');
    expect(removed).toMatchObject({ code: 0, stderr: '', stdout: 'hooli.example is no longer a domain of hooli.\n' });
    expect(await command('migrate')).toMatchObject({ code: 0, stderr: '', stdout: 'The database is up to date.\n' });
  });
});

describe('one sentence and exit code 1', () => {
  let env: { DATA_DIR: string };

  beforeAll(async () => {
    const service = await startPrepared();
    env = { DATA_DIR: service.dataFolder };
    return () => service.stop();
  });

  test.each([
    ['a handle that is taken', ['business', 'create', 'ACME', '--name', 'Another'], /acme is already taken/],
    ['a handle that is reserved', ['business', 'create', 'admin', '--name', 'Admin'], /admin is reserved/],
    ['a handle that none can be', ['business', 'create', 'a_b', '--name', 'X'], /"a_b" can't be a handle/],
    ['a business without --name', ['business', 'create', 'umbrella'], /--name is missing/],
    ['a business with an empty name', ['business', 'create', 'umbrella', '--name', ' '], /display_name: must have 1 to 100 characters/],
    ['an agent without --name', ['agent', 'create', 'acme'], /--name is missing/],
    ['an agent with a control character in its name', ['agent', 'create', 'acme', '--name', 'A\u0007B'], /name: must not have control/],
    ['an agent of an unknown business', ['agent', 'create', 'nobody-here', '--name', 'X'], /business nobody-here was not found/],
    ['a segment that none can be', ['agent', 'create', 'acme', '--name', 'X', '--segment', 'a_b'], /segment/],
    ['a segment that is taken', ['agent', 'create', 'acme', '--name', 'X', '--segment', 'accounts'], /segment accounts is already taken/],
    ['a key of an unknown agent', ['key', 'create', UNKNOWN_AGENT, '--scope', 'read'], /agent was not found/],
    ['a key of what is not an agent', ['key', 'create', 'agt_x', '--scope', 'read'], /"agt_x" is not an id/],
    ['a key with a bad scope', ['key', 'create', UNKNOWN_AGENT, '--scope', 'write'], /--scope must be read or read_write/],
    ['a key without a scope', ['key', 'create', UNKNOWN_AGENT], /--scope must be read or read_write/],
    ['a domain of an unknown business', ['domain', 'verify', 'nobody-here', 'x.example'], /business nobody-here was not found/],
    ['a domain that is none', ['domain', 'verify', 'acme', 'somebody@x.example'], /"somebody@x\.example" is not a domain/],
    ['the removal of a domain that it has not', ['domain', 'remove', 'acme', 'x.example'], /acme has no domain x\.example/],
    ['the removal of what is no domain', ['domain', 'remove', 'acme', 'x y'], /acme has no domain x y/],
    ['the revocation of an unknown key', ['key', 'revoke', UNKNOWN_KEY], /key was not found/],
  ])('are for %s', async (_name, args, sentence) => {
    expectOneSentence(await runProgram('cli', { env, args: [...args, '--json'] }), sentence);
  });
});

test('a key works from the moment it is made, and is refused on the first request after it is revoked', async () => {
  const service = await startPrepared();
  const env = { DATA_DIR: service.dataFolder };
  const command = async (...args: string[]) => objectOf(await runProgram('cli', { env, args: [...args, '--json'] }));
  await command('business', 'create', 'initech', '--name', 'Initech');
  const agent = await command('agent', 'create', 'initech', '--name', 'Till');
  const readOnly = await command('key', 'create', agent.id, '--scope', 'read');
  const key = await command('key', 'create', agent.id, '--scope', 'read_write');

  const api = new Api(service.url, key.secret);
  expect((await api.send({ to: 'globex' })).status).toBe(201);
  expect((await service.api('acme/purchasing').send({ to: 'initech' })).status).toBe(201);
  expect((await api.get('/me')).body).toMatchObject({ business: { handle: 'initech' }, agent: { id: agent.id }, key: { id: key.id } });
  const reader = new Api(service.url, readOnly.secret);
  expect((await reader.get('/inbox')).body.data).toHaveLength(1);
  expect((await reader.send({ to: 'globex' })).status).toBe(403);

  await command('key', 'revoke', key.id);
  expect((await api.get('/me')).status).toBe(401);
  expect((await reader.get('/me')).status).toBe(200);
  await service.stop();
});

test('a verified domain shows at once in /me, belongs to one business only, and can pass to another', async () => {
  const service = await startPrepared();
  const env = { DATA_DIR: service.dataFolder };
  const command = (...args: string[]) => runProgram('cli', { env, args: [...args, '--json'] });
  const domainsOf = async (address: string) => (await service.api(address).get('/me')).body.business.verified_domains;
  expect(await domainsOf('acme/purchasing')).toEqual([]);
  for (const domain of ['b.example', 'A.example', 'b.example']) {
    objectOf(await command('domain', 'verify', 'acme', domain));
  }
  expect(await domainsOf('acme/purchasing')).toEqual(['a.example', 'b.example']);
  expectOneSentence(await command('domain', 'verify', 'globex', 'B.EXAMPLE'), /b\.example belongs to another business/);
  expectOneSentence(await command('domain', 'remove', 'globex', 'b.example'), /globex has no domain b\.example/);
  objectOf(await command('domain', 'remove', 'acme', 'b.example'));
  objectOf(await command('domain', 'verify', 'globex', 'b.example'));
  expect(await domainsOf('acme/purchasing')).toEqual(['a.example']);
  const globex = await service.api('acme/purchasing').get('/public/globex');
  expect(Object.keys(globex.body)).toEqual(['handle', 'display_name', 'verified_domains', 'accepting_drops']);
  await service.stop();
});

test('a command that is run while the service starts waits for it, and a start waits for a command', async () => {
  const env = { DATA_DIR: temporaryFolder() };
  const starting = startProcess({ env });
  await until(async () => (await holderOf(env.DATA_DIR)) === 'service');
  const commands = ['one', 'two', 'three'].map((handle) =>
    runProgram('cli', { env, args: ['business', 'create', handle, '--name', handle, '--json'] }),
  );
  for (const ended of await Promise.all(commands)) expect(objectOf(ended)).toHaveProperty('handle');
  const service = await starting;
  for (const handle of ['one', 'two', 'three']) expect((await new Api(service.url).get(`/public/${handle}`)).status).toBe(200);
  await service.stop();
});

async function holderOf(folder: string): Promise<Holder | undefined> {
  const result = await lockDataFolder(folder, 'command');
  if (!isLock(result)) return result.holder;
  await result.release();
  return undefined;
}

test('a command does not create a second database where there is none, unless it is told to', async () => {
  const folder = path.join(temporaryFolder(), 'mistyped');
  const command = (...args: string[]) => runProgram('cli', { env: { DATA_DIR: folder }, args });
  const create = ['business', 'create', 'initech', '--name', 'Initech'];
  const sentence = `There is no database in ${folder}: set DATA_DIR to the data folder of your service, or DATABASE_URL`;
  expect(await command(...create)).toMatchObject({ code: 1, stdout: '', stderr: `${sentence}, or create a new one with --new.\n` });
  expect(await command('log', 'status')).toMatchObject({ code: 1, stdout: '', stderr: `${sentence}.\n` });
  expect(existsSync(folder)).toBe(false);
  expect(await command('log', 'status', '--new')).toMatchObject({ code: 1, stderr: expect.stringContaining('Usage: ') });
  expect(await command(...create, '--new')).toMatchObject({ code: 0, stdout: 'Created the business initech (Initech).\n' });
  expect(await command(...create)).toMatchObject({ code: 1, stderr: expect.stringContaining('already taken') });
});

describe('help', () => {
  const env = { DATA_DIR: '/nonexistent/never-opened' };
  const names = ['business create', 'domain verify', 'domain remove', 'agent create', 'key create', 'key revoke', 'migrate'];

  test.each(names)('"%s --help" tells how it is called', async (name) => {
    const { code, stdout, stderr } = await runProgram('cli', { env, args: [...name.split(' '), '--help'] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: npm run --silent waybill -- ${name}`);
  });

  test.each([[[]], [['--help']]])('%j lists all commands', async (args) => {
    const { code, stdout, stderr } = await runProgram('cli', { env, args });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const name of names) expect(stdout).toContain(`  ${name} `);
  });

  test.each([
    [['sell'], /There is no command "sell"/],
    [['business'], /There is no command "business"/],
    [['constructor'], /There is no command "constructor"/],
    [['business', 'create'], /Usage: .*business create <handle>/],
    [['domain'], /There is no command "domain"/],
    [['domain', 'verify', 'acme'], /Usage: .*domain verify <handle> <domain>/],
    [['domain', 'remove', 'acme', 'x.example', 'y.example'], /Usage: .*domain remove <handle> <domain>/],
    [['migrate', 'now'], /Usage: .*migrate/],
    [['migrate', '--fast'], /Unknown option '--fast'/],
  ])('%j is refused in one line, without opening a database', async (args, sentence) => {
    const { code, stdout, stderr } = await runProgram('cli', { env, args });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr).toMatch(/^[^\n]+\n$/);
  });
});

test('npm runs the commands, and prints nothing around what they print', async () => {
  const { stdout } = await run(
    'npm',
    ['run', '--silent', 'waybill', '--', 'business', 'create', 'initech', '--name', 'Initech', '--new', '--json'],
    {
      cwd: CHECKOUT,
      env: { PATH: process.env['PATH'], HOME: temporaryFolder(), DATA_DIR: temporaryFolder() },
    },
  );
  expect(stdout).toBe('{"handle":"initech","display_name":"Initech"}\n');
});

// biome-ignore lint/suspicious/noExplicitAny: objects of different shapes
function objectOf({ code, stdout, stderr }: Ended): any {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout);
}

function expectOneSentence({ code, stdout, stderr }: Ended, sentence: RegExp): void {
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(sentence);
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stderr).not.toMatch(/\.\s+[A-Z]/);
}
