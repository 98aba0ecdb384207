import type { Command } from '../command.ts';
import { GLOBAL_OPTIONS } from '../help.ts';
import { UsageError } from '../problems.ts';

const OPERATORS = ['start', 'witness', 'business', 'domain', 'agent', 'key', 'log', 'migrate', 'reindex', 'distribute', 'shards'];

interface Words {
  first: string[];
  /** What follows a word, such as `webhooks`. */
  second: Map<string, string[]>;
  /** By the name of the command. */
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

/** Files are completed where nothing else is known. */
const SCRIPTS: Record<string, (words: Words) => string> = {
  bash: ({ first, second, options }) => `_waybill() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="${first.join(' ')}"
  else
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${[...options]
  .filter(([name]) => name.includes(' '))
  .map(([name, names]) => `      "${name}") words="${names.join(' ')}" ;;`)
  .join('\n')}
      *) case "\${COMP_WORDS[1]}" in
${[...second].map(([word, next]) => `        ${word}) [ "$COMP_CWORD" -eq 2 ] && words="${next.join(' ')}" ;;`).join('\n')}
${[...options]
  .filter(([name]) => !name.includes(' '))
  .map(([name, names]) => `        ${name}) words="${names.join(' ')}" ;;`)
  .join('\n')}
      esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _waybill waybill`,
  zsh: (words) => `#compdef waybill
autoload -U +X bashcompinit && bashcompinit
${SCRIPTS['bash']?.(words)}`,
  fish: ({ first, second, options }) =>
    [
      `complete -c waybill -n __fish_use_subcommand -f -a "${first.join(' ')}"`,
      ...[...second].map(([word, next]) => `complete -c waybill -n "__fish_seen_subcommand_from ${word}" -f -a "${next.join(' ')}"`),
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
      if (!script) throw new UsageError(`waybill completion knows ${Object.keys(SCRIPTS).join(', ')}.`);
      output.line(script(wordsOf(commands())));
    },
  };
}
