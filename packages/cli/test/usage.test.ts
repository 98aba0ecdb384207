import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../server/test/support/process.ts';
import { startTestService, type TestService } from '../../../server/test/support/service.ts';
import { COMMANDS } from '../src/commands.ts';
import { CommandLine } from './support/command-line.ts';

let service: TestService;
const commandLine = new CommandLine({ HOME: temporaryFolder() });

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('help', () => {
  test('lists all commands', async () => {
    const { stdout } = await commandLine.succeed('--help');
    for (const { name } of COMMANDS) expect(stdout).toContain(`  ${name}`);
    expect((await commandLine.succeed()).stdout).toBe(stdout);
  });

  test.each(COMMANDS.map(({ name }) => name))('of %s has its options and examples', async (name) => {
    const { stdout } = await commandLine.succeed(...name.split(' '), '--help');
    expect(stdout).toMatch(new RegExp(`^Usage: waybill ${name}\\b`));
    expect(stdout).toMatch(/Examples:\n {2}\S/);
  });

  test('waybill help <command> explains the command, or its group', async () => {
    expect((await commandLine.succeed('help', 'send')).stdout).toBe((await commandLine.succeed('send', '--help')).stdout);
    expect((await commandLine.succeed('help', 'webhooks', 'create')).stdout).toMatch(/^Usage: waybill webhooks create\b/);
    expect((await commandLine.succeed('help')).stdout).toBe((await commandLine.succeed('--help')).stdout);
    expect(await commandLine.run(['help', 'fly'])).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no command "fly"') });
  });

  test.each([['--version'], ['-V']])('%s is that of the package', async (option) => {
    const { version } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../package.json'), 'utf8'));
    expect((await commandLine.succeed(option)).stdout).toBe(`${version}\n`);
  });

  test.each([
    ['sned', 'did you mean waybill send?'],
    ['inbx', 'did you mean waybill inbox?'],
    ['webhooks craete', 'did you mean waybill webhooks create?'],
    ['busines', 'did you mean waybill business?'],
    ['fly', 'waybill --help lists all commands.'],
  ])('of a mistyped command, "%s", is the one that was meant', async (given, hint) => {
    const { code, stderr } = await commandLine.run(given.split(' '));
    expect(code).toBe(2);
    expect(stderr).toContain(`There is no command "${given}"; ${hint}`);
  });

  test('of an operator’s command comes from the service', async () => {
    expect((await commandLine.succeed('business', 'create', '--help')).stdout).toContain('business create <handle> --name <text>');
  });

  test('the README names all commands', () => {
    const readme = readFileSync(path.resolve(import.meta.dirname, '../README.md'), 'utf8');
    for (const { name } of COMMANDS) expect(readme).toContain(`waybill ${name}`);
  });
});

describe('exit codes', () => {
  const unreachable = 'http://127.0.0.1:9';

  test.each([
    ['an unknown command', ['fly'], 2, 'There is no command'],
    ['an unknown option', ['inbox', '--colour'], 2, '--colour'],
    ['too few arguments', ['read'], 2, 'Usage: waybill read <id>'],
    ['too many arguments', ['inbox', 'x'], 2, 'Usage: waybill inbox'],
    ['a value that is none', ['threads', '--status', 'maybe'], 2, 'open or done'],
    ['no profile', ['inbox'], 2, 'Log in first'],
    ['an empty message', ['send', 'globex', '--key', 'x', '--url', unreachable], 2, 'at least one'],
    ['a shell that is none', ['completion', 'tcsh'], 2, 'bash, zsh, fish'],
  ])('%s', async (_name, args, code, message) => {
    const ended = await commandLine.run(args);
    expect([ended.code, ended.stdout]).toEqual([code, '']);
    expect(ended.stderr).toContain(message);
  });

  test('a refusal is 3, what is not found 4, in JSON too', async () => {
    const { secret } = await service.business('acme');
    const account = ['--url', service.url, '--key'];
    expect((await commandLine.run(['whoami', ...account, 'wb_wrong'])).code).toBe(3);
    const missing = await commandLine.run(['read', 'msg_unknown', ...account, secret, '--json']);
    expect(missing.code).toBe(4);
    expect(JSON.parse(missing.stderr).error).toMatchObject({ code: 'not_found', request_id: expect.stringMatching(/^req_/) });
  });

  test('an operator’s command works as before', async () => {
    const operator = new CommandLine({ HOME: temporaryFolder(), DATABASE_URL: service.databaseUrl, DATA_DIR: temporaryFolder() });
    expect(await operator.json('business', 'create', 'initech', '--name', 'Initech')).toEqual({
      handle: 'initech',
      display_name: 'Initech',
    });
  });
});

/** Runs the completion of each shell for a command line. Undefined where the shell is not installed. */
const SHELLS: Record<string, (script: string, line: string) => string | undefined> = {
  bash: (script, line) => {
    const words = line.split(' ').slice(1);
    const call = `COMP_WORDS=(waybill ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _waybill; echo "\${COMPREPLY[@]}"`;
    return output('bash', ['-c', `${script}\n${call}`]);
  },
  fish: (script, line) => output('fish', ['--no-config', '-c', `${script}\ncomplete -C '${line}'`])?.replaceAll('\n', ' '),
  // On a terminal, with the script as a file that zsh loads at the first completion. ^T completes and prints the line.
  zsh: (script, line) => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, '_waybill'), script);
    const widget = `zle complete-word; print -r -- "=$BUFFER="; BUFFER=`;
    const start = `PS1=; fpath=(${folder} $fpath); autoload -Uz compinit; compinit -u -D; w() { ${widget} }; zle -N w; bindkey '^T' w`;
    const typed = `printf '%s\n' "$START"; sleep 1; printf '%s\\024' "$LINE"; sleep 1; printf 'exit\n'`;
    const printed = output('bash', ['-c', `which zsh && (${typed}) | script -qec 'zsh -fi' /dev/null`], { START: start, LINE: line });
    return printed && /=waybill.* (\S+) =/.exec(printed)?.[1];
  },
};

function output(program: string, args: string[], env: Record<string, string> = {}): string | undefined {
  const { stdout, status } = spawnSync(program, args, { encoding: 'utf8', timeout: 30_000, env: { ...process.env, ...env } });
  return status === 0 ? stdout.trim() : undefined;
}

test.each(Object.keys(SHELLS))('completion in %s completes commands, their second words and their options', async (shell) => {
  const { stdout: script } = await commandLine.succeed('completion', shell);
  if (output(shell, ['--version']) === undefined) {
    console.warn(`Completion in ${shell} was NOT tried: there is no ${shell}.`);
    return;
  }
  for (const [line, completed] of [
    ['waybill inb', 'inbox'],
    ['waybill webhooks resu', 'resume'],
    ['waybill webhooks resume wh_1 --rec', '--recover'],
    ['waybill send globex --sub', '--subject'],
    ['waybill completion fi', 'fish'],
  ] as const)
    expect([line, SHELLS[shell]?.(script, line)]).toEqual([line, completed]);
});
