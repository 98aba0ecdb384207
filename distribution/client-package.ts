import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compile, type Exports, manifestIn, ROOT } from './checkout.ts';

const SOURCE = 'packages/client';

/** `@waybill/client`: JavaScript modules and their types. */
export function writeClientPackage(folder: string): void {
  mkdirSync(folder);
  compile('tsconfig.client.json', path.join(folder, 'dist'));
  const { private: _, devDependencies: __, exports = {}, ...manifest } = manifestIn(SOURCE);
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify({ ...manifest, exports: compiledExports(exports) }, undefined, 2)}\n`);
  cpSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'));
  const readme = path.join(ROOT, SOURCE, 'README.md');
  if (existsSync(readme)) cpSync(readme, path.join(folder, 'README.md'));
}

function compiledExports(exports: Exports): Exports {
  if (typeof exports !== 'string')
    return Object.fromEntries(Object.entries(exports).map(([name, inner]) => [name, compiledExports(inner)]));
  const [, file] = /^\.\/src\/(.+)\.ts$/.exec(exports) ?? [];
  return file === undefined ? exports : { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` };
}
