import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const MUST = 'must';
/**
 * Former words that have a better known replacement. The list has those that a pattern finds without false alarms: a route of HTTP and the
 * route of a message, for example, are spelled alike.
 */
const RETIRED: Record<string, RegExp> = {
  'name the person or program': /\bwhoever\b/i,
  again: /\banew\b/i,
  your: /\bof yours\b/i,
  'repair, correct': /\bmend(s|ed|ing)?\b/i,
  'separated by': /\bparted by\b/i,
  deadlock: /\bin a circle\b/i,
  'listen, listener, receive': /\b(ears?|hear(s|d|ers?|ing)?)\b/i,
  'DNS rebinding': /\bname that leads here\b/i,
  'response, reply': /\banswer(s|ed|ing)?\b/i,
  'message request, dialect': /\bdrafts?\b(?!-ietf|[ /-]\d)/i,
  [MUST]: /(?<!\b(?:would|may|might|not) )\b(has|have) to\b/i,
  'Create, Created': /\bMake a new\b|\bMade the\b/,
  'the labels of today':
    /Nothing has come|How it is doing|Half within|As the system\b|Copy the line|No message fits|receipt is whole|Continue with a code/,
};

/** Files that may have one of the words, each with the reason. */
const ALLOWED: [file: RegExp, word: RegExp, reason: string][] = [
  [/^web\/(src\/pages\/(messages|drop)|test)\//, /^drafts?$/i, 'what somebody writes in the composer and has not sent'],
  [/\/schema\.ts$/, /^Draft$/, 'the former name of a type, until 0.4'],
  [
    /(schema-suite|hostile-schemas\.test|inbox-schema-check\.test)\.ts$/,
    /^draft$/,
    'versions of JSON Schema, as its own addresses name them',
  ],
  [/rate-limit\.ts$|0025-charging-by-cost\.md$/, /^drafts?$/, 'drafts of the IETF'],
  [/(chores|sql-files\.test|event-loop-jobs\.test)\.ts$/, /^answer$/, 'the former name of a job, which may be queued at an upgrade'],
  [/attempt-metrics\.ts$/, /^answer$/, 'the former name of a label, until 0.4'],
  [/name-server\.ts$/, /^answers$/, 'a field of the package dns2'],
];

const ROOT = path.resolve(import.meta.dirname, '../../..');
const FILES = [
  'server/{src,sql,test}/**/*.{ts,sql,md}',
  'docs/**/*.md',
  'packages/*/{src,test}/**/*.ts',
  'packages/**/*.md',
  'web/src/**/*.{ts,tsx,css}',
  'web/test/**/*.ts',
  'clients/python/{src,tests}/**/*.py',
  'clients/**/*.md',
  '{bench,distribution,examples}/**/*.{ts,md,py,yaml}',
  '{README,ARCHITECTURE,CONTRIBUTING}.md',
];
/** Recorded data, and the two lists of retired words themselves. */
const NOT_READ = /\/node_modules\/|\/fixtures\/|\/\.venv\/|^(server|web)\/test\/unit\/words\.test\.ts$/;

/** Comments may say "has to": the rule is for what users read. */
const isComment = (file: string, line: string) => !file.endsWith('.md') && /^\s*(\/\/|\/?\*|--|#|\{\/\*)/.test(line);
const ANY = new RegExp(
  Object.values(RETIRED)
    .map(({ source }) => source)
    .join('|'),
  'i',
);
const files = globSync(FILES, { cwd: ROOT }).filter((file) => !NOT_READ.test(file));

test('no file has a word that the project has replaced, and each exception is needed', () => {
  expect(files.length).toBeGreaterThan(1_000);
  const needed = new Set<unknown>();
  const isAllowed = (file: string, former: string) => {
    const exception = ALLOWED.find(([where, what]) => where.test(file) && what.test(former));
    if (exception) needed.add(exception);
    return exception !== undefined;
  };
  const found = files.flatMap((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    if (!ANY.test(text)) return [];
    return text.split('\n').flatMap((line, i) =>
      Object.entries(RETIRED).flatMap(([better, word]) => {
        const [former] = word.exec(line) ?? [];
        if (former === undefined || isAllowed(file, former) || (better === MUST && isComment(file, line))) return [];
        return [`${file}:${i + 1}: “${former}”, in place of which: ${better}`];
      }),
    );
  });
  expect(found).toEqual([]);
  expect(ALLOWED.filter((exception) => !needed.has(exception))).toEqual([]);
});
