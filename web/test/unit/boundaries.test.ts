import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { committedText, generatedFiles } from '../../api-types.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const IMPORT = /(?:from|import|import\(|new URL\()\s*'(\.[^'?]+)(?:\?[^']*)?'/g;

/** Rules that the checker of the server's imports can't express: files, and the files of the project that they may not import. */
const FORBIDDEN: [name: string, from: RegExp, to: RegExp][] = [
  [
    'what both compute alike is shared, all else is known by the API',
    /^web\/src\//,
    /^server\/(?!src\/contract\/(canonical-json|colour|visible-text)\.ts$)/,
  ],
  [
    'of the packages, requests, uploads, types, the verification of proofs and the types of documents are shared; no signing or hashing',
    /^web\/src\//,
    /^packages\/(?!documents\/src\/(index|read-file|names\/[a-z-]+)\.ts$|client\/src\/(errors|hashed-text|json-text|lossless-json|operations|proof|random-key|schema|transport|upload-parts)\.ts$|proof\/src\/index\.ts$)/,
  ],
  [
    'only what shows and writes documents knows their types; the names of their values are shared',
    /^web\/src\/(?!documents\/|pages\/messages\/documents\/)/,
    /^packages\/documents\/src\/(?!names\/)/,
  ],
  ['below pages nothing knows pages', /^web\/src\/(ui|api|json|parts|documents)\//, /^web\/src\/(pages|frame)\//],
  ['the API’s client knows nothing of what it looks like', /^web\/src\/api\//, /^web\/src\/(ui|json|parts|documents)\//],
  ['what shows JSON knows no part that edits it, and no document', /^web\/src\/json\//, /^web\/src\/(parts|documents)\//],
  ['what shows documents knows no part', /^web\/src\/documents\//, /^web\/src\/parts\//],
  ['the frame knows no page', /^web\/src\/frame\//, /^web\/src\/pages\//],
];

const files = globSync('web/src/**/*.{ts,tsx}', { cwd: ROOT }).sort();
const imports = files.flatMap((from) =>
  [...readFileSync(path.join(ROOT, from), 'utf8').matchAll(IMPORT)].map(([, to]) => ({
    from,
    to: path.relative(ROOT, path.resolve(ROOT, path.dirname(from), to as string)),
  })),
);

test.each(FORBIDDEN)('%s', (_name, from, to) => {
  expect(imports.filter((one) => from.test(one.from) && to.test(one.to))).toEqual([]);
});

test('pages of one area do not reach into another', () => {
  const areaOf = (file: string) => /^web\/src\/pages\/([^/]+)\//.exec(file)?.[1];
  const crossing = imports.filter(({ from, to }) => areaOf(from) !== undefined && areaOf(to) !== undefined && areaOf(from) !== areaOf(to));
  expect(crossing).toEqual([]);
});

test('no file imports itself, directly or through others', () => {
  const importsOf = Map.groupBy(imports, ({ from }) => from);
  const finished = new Set<string>();
  const cycles: string[][] = [];
  const visit = (file: string, above: string[]) => {
    if (above.includes(file)) cycles.push([...above.slice(above.indexOf(file)), file]);
    if (above.includes(file) || finished.has(file)) return;
    for (const { to } of importsOf.get(file) ?? []) visit(to, [...above, file]);
    finished.add(file);
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

test('every file is imported', () => {
  const imported = new Set(imports.map(({ to }) => to));
  expect(files.filter((file) => !imported.has(file) && !/^web\/src\/(main\.tsx|(pdf|docs|verify)\/main\.ts)$|\.d\.ts$/.test(file))).toEqual(
    [],
  );
});

test('the types of the API, the texts that hashes cover and the limits of fields are those of the service', async () => {
  for (const { file, text } of await generatedFiles()) expect(committedText(file), `${file}: run npm run api-types`).toBe(text);
});

test('one file alone puts the text of content_hash together', () => {
  const ours = globSync(['web/src/**/*.{ts,tsx}', 'packages/*/src/**/*.ts'], { cwd: ROOT });
  const together = ours.filter((file) => /canonicalJson\(\{[^}]*\bthread_id\b/.test(committedText(file)));
  expect(together).toEqual(['packages/client/src/hashed-text.ts']);
});

/** Lengths of what only the browser knows, or that follow from how something is written. */
const OWN_LENGTHS: Record<string, string[]> = {
  'web/src/pages/device/device.tsx': ['2 * EXAMPLE.length'],
  'web/src/pages/messages/template-menu.tsx': ['TEMPLATE_NAME_MAX_CHARS'],
  'web/src/pages/settings/drop-page-settings.tsx': ['COLOUR_CHARS'],
  'web/src/ui/date-field.tsx': ['CHARS'],
};

test('fields take as many characters as the service does', () => {
  const given = files.flatMap((file) => {
    const code = committedText(file);
    const [, limits = ''] = /import \{([^}]*)\} from '[./]+\/api\/limits\.ts'/.exec(code) ?? [];
    return [...code.matchAll(/\bmaxLength=(?:\{([^}]*)\}|"[^"]*")/g)].map(([, length = '']) => ({ file, length, limits }));
  });
  expect(given.length).toBeGreaterThan(30);
  const isLimit = (limits: string, length: string) => limits.match(/\w+/g)?.includes(/\b[A-Z][A-Z_]+\b/.exec(length)?.[0] ?? '');
  expect(given.filter(({ file, length, limits }) => !isLimit(limits, length) && !OWN_LENGTHS[file]?.includes(length))).toEqual([]);
});
