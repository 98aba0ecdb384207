import type { Command, Option } from './command.ts';
import { OPERATORS } from './operators.ts';

export const GLOBAL_OPTIONS: Record<string, Option> = {
  profile: { type: 'string', value: '<name>', help: 'Another profile than the one in use' },
  key: { type: 'string', value: '<key>', help: 'The API key; also WAYBILL_KEY' },
  url: { type: 'string', value: '<url>', help: 'The address of the service; also WAYBILL_URL' },
  json: { type: 'boolean', help: 'Print JSON, one object a line' },
  help: { type: 'boolean', short: 'h', help: 'Explain the command' },
};

export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name, args }) => `${name} ${args}`.length));
  const lines = commands.map(({ name, args, help }) => `  ${`${name} ${args}`.padEnd(width)}  ${help.split('. ')[0]?.replace(/\.$/, '')}`);
  return `Usage: waybill <command> [options]

${lines.join('\n')}

${optionLines(GLOBAL_OPTIONS)}

waybill help <command> has examples. Operators also have: start, witness, ${OPERATORS.join(', ')}, log.
Exit codes: 0 done, 1 failed or a check said no, 2 wrong usage, 3 not allowed, 4 not found, 5 unavailable or not due yet (try again), 6 not verified for want of a trusted key, 130 interrupted.`;
}

export function helpOf({ name, args, help, options = {}, examples }: Command): string {
  return `Usage: waybill ${`${name} ${args}`.trim()} [options]

${help}

${optionLines({ ...options, ...GLOBAL_OPTIONS })}

Examples:
${examples.map((example) => `  ${example}`).join('\n')}`;
}

function optionLines(options: Record<string, Option>): string {
  const names = Object.entries(options).map(
    ([name, { short, value }]) => `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
  );
  const width = Math.max(...names.map((name) => name.length));
  const helps = Object.values(options).map(({ help, choices }) => (choices ? `${help}: ${choices.join(', ')}` : help));
  return names.map((name, index) => `  ${name.padEnd(width)}  ${helps[index]}`).join('\n');
}
