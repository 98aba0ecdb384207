import type { Command } from '../command.ts';
import { GLOBAL_OPTIONS } from '../help.ts';
import { UsageError } from '../problems.ts';

const OPERATORS = ['start', 'witness', 'business', 'domain', 'agent', 'key', 'log', 'migrate', 'reindex', 'distribute', 'shards'];

interface Words {
  first: string[];
  second: Map<string, string[]>;
  options: Map<string, string[]>;
}

function wordsOf(commands: readonly Command[]): Words {
  const grouped = Map.groupBy(
    commands.filter(({ name }) => name.includes(' ')),
    ({ name }) => name.split(' ')[0] ?? '',
  );
  return {
    first: [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? '')), ...OPERATORS],
    second: new Map([...grouped].map(([word, group]) => [word, group.map(({ name }) => name.split(' ')[1] ?? '')])),
    options: new Map(
      commands.map(({ name, options }) => [name, Object.keys({ ...options, ...GLOBAL_OPTIONS }).map((option) => `--${option}`)]),
    ),
  };
}

const SHELLS = ['bash', 'zsh', 'fish'];

function wordsAfter(words: Words, indent: string, write: (words: string[]) => string, isSecond: string): string {
  const { second, options } = words;
  const cases = [...options].map(([name, names]) => ({ name, names }));
  const ofTwo = cases.filter(({ name }) => name.includes(' ')).map(({ name, names }) => `"${name}") ${write(names)} ;;`);
  const ofOne = cases
    .filter(({ name }) => !name.includes(' '))
    .map(({ name, names }) => `${name}) ${write(name === 'completion' ? [...SHELLS, ...names] : names)} ;;`);
  const next = [...second].map(([word, group]) => `${word}) ${isSecond} && ${write(group)} ;;`);
  const lines = [...ofTwo, '*) case "$first" in', ...[...next, ...ofOne].map((line) => `  ${line}`), '  esac ;;'];
  return lines.map((line) => `${indent}${line}`).join('\n');
}

/** The scripts complete files where they know no words. */
const SCRIPTS: Record<string, (words: Words) => string> = {
  bash: (words) => `_waybill() {
  local current="\${COMP_WORDS[COMP_CWORD]}" first="\${COMP_WORDS[1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="${words.first.join(' ')}"
  else
    case "$first \${COMP_WORDS[2]}" in
${wordsAfter(words, '      ', (names) => `words="${names.join(' ')}"`, '[ "$COMP_CWORD" -eq 2 ]')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _waybill waybill`,
  // The script works as a file of fpath, where the first completion runs the whole file, and when it is sourced.
  zsh: (words) => `#compdef waybill
_waybill() {
  local first="\${words[2]}"
  local -a found
  if (( CURRENT == 2 )); then found=(${words.first.join(' ')})
  else
    case "$first \${words[3]}" in
${wordsAfter(words, '      ', (names) => `found=(${names.join(' ')})`, '(( CURRENT == 3 ))')}
    esac
  fi
  [[ "$PREFIX" == -* ]] || found=(\${found:#-*})
  compadd -a found || _files
}
if [ "\${funcstack[1]}" = _waybill ]; then _waybill "$@"; else compdef _waybill waybill; fi`,
  fish: ({ first, second, options }) =>
    [
      `complete -c waybill -n __fish_use_subcommand -f -a "${first.join(' ')}"`,
      `complete -c waybill -n "__fish_seen_subcommand_from completion" -f -a "${SHELLS.join(' ')}"`,
      ...[...second].map(
        ([word, next]) =>
          `complete -c waybill -n "__fish_seen_subcommand_from ${word}; and not __fish_seen_subcommand_from ${next.join(' ')}" -f -a "${next.join(' ')}"`,
      ),
      ...[...options].flatMap(([name, names]) => {
        const seen = name
          .split(' ')
          .map((word) => `__fish_seen_subcommand_from ${word}`)
          .join('; and ');
        return names.map((option) => `complete -c waybill -n "${seen}" -l ${option.slice(2)}`);
      }),
    ].join('\n'),
};

export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    args: '<shell>',
    help: 'Prints a completion script for bash, zsh or fish.',
    examples: [
      'source <(waybill completion bash)',
      'waybill completion zsh > ~/.zfunc/_waybill',
      'waybill completion fish > ~/.config/fish/completions/waybill.fish',
    ],
    run: async ({ args: [shell = ''], output }) => {
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
      if (!script) throw new UsageError(`waybill completion knows ${SHELLS.join(', ')}.`);
      output.line(script(wordsOf(commands())));
    },
  };
}
