import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { limitText } from './src/contract/limit-text.ts';
import * as limits from './src/contract/limits.ts';

/**
 * docs/limits.md, generated from the comments and values in contract/limits.ts and the files that it exports. `npm run limits` writes it. A
 * test compares the two.
 */
export const FILE = path.join(import.meta.dirname, '../docs/limits.md');
const SOURCES = [
  'limits.ts',
  'people-limits.ts',
  'domain-key-limits.ts',
  'process-limits.ts',
  'webhook-limits.ts',
  'consumer-limits.ts',
  'document-fact-limits.ts',
  'mail-limits.ts',
  'mcp-limits.ts',
  'log-limits.ts',
  'witness-limits.ts',
  'rendition-limits.ts',
].map((file) => path.join(import.meta.dirname, 'src/contract', file));

/** The units of limits, which are no limits themselves. */
const UNITS = ['MB', 'GB'];

const INTRODUCTION = `# Limits

Every limit of the service, made from the code that enforces it (\`npm run limits\`). MB and GB are binary: 1 MB is 1,048,576 bytes.
Text is counted in Unicode code points. Where a setting is named, the operator can change the limit; the value is the default.

Four rules stand behind them. A feature that breaks one of them is not finished:

1. **A request is charged what it costs**, in units of its rate: one for itself, and more for large bodies and responses, rows that are looked at
   in vain, and the time of worker threads. What is expensive (hashing, canonical JSON, schemas) comes after the recipient, blocks and quotas
   are known, and never takes more than 20 ms of the thread that serves the others.
2. **Everything a tenant can create has a limit**, and the error names it.
3. **Everything read has a byte limit**: bodies, pages of a list, lines of a mail, responses of receivers. Every wait has a time-out.
4. **Nothing shared is handed out without a share for the others.** Places are counted by business, person and network, and nobody can take
   the last ones.
`;

interface Limit {
  section: string;
  name: string;
  description: string;
  setting: string | undefined;
}

const ENTRY = /^\/\/ # (?<section>.+)$|(?:\/\*\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\n)?^export const (?<name>\w+) =/gm;

function limitsIn(source: string): Limit[] {
  let section = '';
  const found: Limit[] = [];
  for (const { groups = {} } of source.matchAll(ENTRY)) {
    const { name, comment, section: begun } = groups;
    if (begun !== undefined) section = begun;
    if (name === undefined || UNITS.includes(name)) continue;
    const text = (comment ?? '').replace(/\s*\n \* ?/g, ' ').trim();
    if (text === '' || section === '') throw new Error(`${name} needs a comment, and a section above it`);
    const [, description = text, setting] = /^(.*?)\s*Setting: `(\w+)`\.$/.exec(text) ?? [];
    found.push({ section, name, description, setting });
  }
  return found;
}

export function limitsDocument(): string {
  const sections = Map.groupBy(
    SOURCES.flatMap((file) => limitsIn(readFileSync(file, 'utf8'))),
    ({ section }) => section,
  );
  const tables = [...sections].map(([section, rows]) => {
    const lines = rows.map(
      ({ name, description, setting }) => `| ${description} | ${shown(name)} | ${setting === undefined ? '' : `\`${setting}\``} |`,
    );
    return `\n## ${section}\n\n| Limit | Value | Setting |\n|---|---|---|\n${lines.join('\n')}\n`;
  });
  return INTRODUCTION + tables.join('');
}

function shown(name: string): string {
  const value = (limits as unknown as Record<string, number>)[name];
  if (value === undefined) throw new Error(`${name} has no value`);
  return limitText(name, value);
}

if (import.meta.main) {
  writeFileSync(FILE, limitsDocument());
  console.log('docs/limits.md is written.');
}
