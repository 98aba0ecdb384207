import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { Waybill, WaybillError } from '@waybill/client';
import { closest } from './closest.ts';
import { type Account, type Command, Options } from './command.ts';
import { COMMANDS } from './commands.ts';
import { GLOBAL_OPTIONS, helpOf, overview } from './help.ts';
import type { Io } from './io.ts';
import { OPERATORS } from './operators.ts';
import { Output, visible } from './output.ts';
import { CheckFailed, messageOf, NoTrustedKey, TryAgain, UsageError } from './problems.ts';
import { Profiles } from './profiles.ts';
import { VERSION } from './version.ts';

export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3, notFound: 4, unavailable: 5, untrusted: 6, interrupted: 130 } as const;

export async function run(argv: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  const output = new Output(io, argv.includes('--json'));
  try {
    const command = commandIn(argv);
    if (!command) return withoutCommand(argv, output);
    const rest = argv.slice(command.name.split(' ').length);
    const { values, positionals } = parse(command, rest);
    if (values['help'] === true) {
      output.line(helpOf(command));
      return EXIT.done;
    }
    checkArguments(command, positionals);
    const options = new Options(values);
    const profiles = new Profiles(io.env);
    const account = () => accountOf(options, profiles, io);
    const onWarning = (warning: string) => output.note(`Warning: ${visible(warning)}`);
    const waybill = () => {
      const { url, key } = account();
      return new Waybill({ baseUrl: url, key, signingKey: signingKeyFor(options, account()), onWarning });
    };
    await command.run({ args: positionals, options, output, io, profiles, signal, account, waybill });
    return EXIT.done;
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted;
    return report(error, output);
  }
}

/** The longest name that the words begin with: `webhooks create` before `webhooks`. */
function commandIn(argv: readonly string[]): Command | undefined {
  const words = argv.slice(0, 2).join(' ');
  return COMMANDS.find(({ name }) => name === words) ?? COMMANDS.find(({ name }) => name === argv[0]);
}

function withoutCommand(argv: readonly string[], output: Output): number {
  if (argv[0] === '--version' || argv[0] === '-V') {
    output.line(VERSION);
    return EXIT.done;
  }
  if (argv[0] === 'help' && argv.length > 1) return explain(argv.slice(1), output);
  if (argv.length === 0 || argv[0] === '--help' || argv[0] === '-h' || argv[0] === 'help') {
    output.line(overview(COMMANDS));
    return EXIT.done;
  }
  const group = groupOf(argv[0]);
  if (group.length > 0 && (argv.length === 1 || argv.includes('--help'))) {
    output.line(overview(group));
    return argv.length === 1 ? EXIT.usage : EXIT.done;
  }
  throw unknownCommand(argv);
}

/** `waybill help send` is `waybill send --help`. */
function explain(words: readonly string[], output: Output): number {
  const command = commandIn(words);
  const group = groupOf(words[0]);
  if (!command && group.length === 0) throw unknownCommand(words);
  output.line(command ? helpOf(command) : overview(group));
  return EXIT.done;
}

function groupOf(word: string | undefined): Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
}

function unknownCommand(argv: readonly string[]): UsageError {
  const given = argv.filter((word) => !word.startsWith('-')).join(' ');
  const meant = closest(given, [...COMMANDS.map(({ name }) => name), ...OPERATORS]);
  const next = meant === undefined ? 'waybill --help lists all commands.' : `did you mean waybill ${meant}?`;
  return new UsageError(`There is no command "${given}"; ${next}`);
}

type Values = ConstructorParameters<typeof Options>[0];

function parse(command: Command, args: string[]): { values: Values; positionals: string[] } {
  const options: ParseArgsOptionsConfig = {};
  for (const [name, { type, short, multiple }] of Object.entries({ ...command.options, ...GLOBAL_OPTIONS }))
    options[name] = { type, ...(short !== undefined && { short }), ...(multiple && { multiple }) };
  let parsed: { values: Values; positionals: string[] };
  try {
    parsed = parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(`${messageOf(error).split('. ')[0]}. See waybill ${command.name} --help.`);
  }
  for (const [name, { choices }] of Object.entries(command.options ?? {})) {
    const value = parsed.values[name];
    if (choices && typeof value === 'string' && !choices.includes(value))
      throw new UsageError(`--${name} must be ${choices.join(' or ')}.`);
  }
  return parsed;
}

function checkArguments(command: Command, given: readonly string[]): void {
  const names = command.args === '' ? [] : command.args.split(' ');
  const least = names.filter((name) => !name.startsWith('[')).length;
  const isOpen = command.args.includes('…');
  if (given.length < least || (!isOpen && given.length > names.length))
    throw new UsageError(`Usage: waybill ${[command.name, command.args].join(' ').trim()}. See waybill ${command.name} --help.`);
}

/** Options override the environment, and both override the profile. */
function accountOf(options: Options, profiles: Profiles, { env }: Io): Account {
  const [givenKey, givenUrl] = [options.text('key') ?? env['WAYBILL_KEY'], options.text('url') ?? env['WAYBILL_URL']];
  if (givenKey && givenUrl) return { key: givenKey, url: givenUrl };
  const profile = profiles.get(options.text('profile') ?? env['WAYBILL_PROFILE']);
  const url = givenUrl ?? profile?.url;
  if (!url) throw new UsageError('Log in first: waybill login --url https://…');
  // The key of a profile is for its own service only.
  const key = givenKey ?? (profile?.url === url ? profile.key : undefined);
  const isOfProfile = profile !== undefined && profile.url === url && profile.key === key;
  return { key, url, ...(isOfProfile && profile.signingKey && { signingKey: profile.signingKey }) };
}

/** Returns the key only with `--sign`, so that nobody signs by accident. */
function signingKeyFor(options: Options, { signingKey }: Account): Account['signingKey'] {
  if (!options.is('sign')) return undefined;
  if (!signingKey) throw new UsageError('The profile has no signing key. Create one: waybill signing-key');
  return signingKey;
}

function report(error: unknown, output: Output): number {
  if (error instanceof CheckFailed) return EXIT.failed;
  if (error instanceof NoTrustedKey) return EXIT.untrusted;
  if (error instanceof TryAgain) return EXIT.unavailable;
  const isRefused = error instanceof WaybillError;
  const message = visible(error instanceof Error ? error.message : String(error));
  if (output.isJson)
    output.note(
      JSON.stringify({ error: { code: isRefused ? error.code : 'usage', message, ...(isRefused && { request_id: error.requestId }) } }),
    );
  else {
    output.note(message);
    if (isRefused && error.code === 'unauthorized') output.note('Log in with a valid key: waybill login');
    if (isRefused && error.requestId) output.note(`Request: ${error.requestId}`);
  }
  return isRefused ? exitCodeOf(error) : error instanceof UsageError || error instanceof TypeError ? EXIT.usage : EXIT.failed;
}

function exitCodeOf(error: WaybillError): number {
  if (error.isTemporary) return EXIT.unavailable;
  if (error.status === 401 || error.status === 403) return EXIT.refused;
  return error.status === 404 ? EXIT.notFound : EXIT.failed;
}
