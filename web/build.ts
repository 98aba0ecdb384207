import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { buildVerifier } from './build-verifier.ts';

/** Builds the pages into the given folder, with compressed copies of files that get smaller. */
const folder = process.argv[2];
if (folder === undefined) throw new Error('Name the folder to build into.');
// The build must not depend on the caller's environment, such as that of tests.
process.env['NODE_ENV'] = 'production';
const outDir = path.resolve(folder);
const configFile = path.join(import.meta.dirname, 'vite.config.ts');
await build({ configFile, logLevel: 'warn', build: { outDir } });
// Each page is built by itself. If it shared files with the others, those would be split into more and smaller files.
for (const name of ['pdf.html', 'docs.html']) {
  const input = path.join(import.meta.dirname, name);
  await build({ configFile, logLevel: 'warn', build: { outDir, emptyOutDir: false, rolldownOptions: { input } } });
}
await buildVerifier(outDir);

const assets = path.join(folder, 'assets');
for (const name of readdirSync(assets).filter((name) => /\.(js|css|svg)$/.test(name))) {
  const file = path.join(assets, name);
  const bytes = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(
    `${file}.br`,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  );
}
