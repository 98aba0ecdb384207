import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compile, manifestIn, ROOT } from './checkout.ts';

const SOURCE = 'packages/client';

/** `@waybill/client`: JavaScript modules and their types, for `import` and, in `cjs`, for `require`. */
export function writeClientPackage(folder: string, version: string): void {
  mkdirSync(folder);
  compile('tsconfig.client.json', path.join(folder, 'dist'));
  compile('tsconfig.client-cjs.json', path.join(folder, 'dist/cjs'));
  writeJson(path.join(folder, 'dist/cjs/package.json'), { type: 'commonjs' });
  const { private: _, devDependencies: __, exports = {}, ...manifest } = manifestIn(SOURCE);
  const files = Object.entries(exports).map(([name, source]) => ({ name, file: path.basename(String(source), '.ts') }));
  writeJson(path.join(folder, 'package.json'), {
    ...manifest,
    version,
    sideEffects: false,
    exports: Object.fromEntries(
      files.map(({ name, file }) => [name, { import: compiledTo('dist', file), require: compiledTo('dist/cjs', file) }]),
    ),
    // The entry for compilers and bundlers that ignore `exports`.
    main: './dist/cjs/index.js',
    types: './dist/cjs/index.d.ts',
    typesVersions: { '*': Object.fromEntries(files.map(({ name, file }) => [path.basename(name), [`./dist/cjs/${file}.d.ts`]])) },
  });
  cpSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'));
  const readme = path.join(ROOT, SOURCE, 'README.md');
  if (existsSync(readme)) cpSync(readme, path.join(folder, 'README.md'));
}

function compiledTo(folder: string, file: string): { types: string; default: string } {
  return { types: `./${folder}/${file}.d.ts`, default: `./${folder}/${file}.js` };
}

function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}
