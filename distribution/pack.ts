import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Manifest, manifestIn, ROOT, run } from './checkout.ts';
import { writeClientPackage } from './client-package.ts';
import { packageVersion } from './package-version.ts';
import { writeServicePackage } from './service-package.ts';

/**
 * `npm run pack [-- <folder>]`: the packages that people install, as tarballs in dist/ or the given folder. With `--release`, they have the version of
 * the release also before its tag is there.
 */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { release: { type: 'boolean' } } });
const version = values.release ? manifestIn('.').version : packageVersion();
const dist = path.join(ROOT, 'dist');
const into = path.resolve(positionals[0] ?? dist);
const temporary = mkdtempSync(path.join(os.tmpdir(), 'waybill-pack-'));
try {
  // The image is built from the only tarball in the folder.
  if (into === dist) rmSync(dist, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  const packages = { service: path.join(temporary, 'waybill'), client: path.join(temporary, 'client') };
  await writeServicePackage(packages.service, version);
  writeClientPackage(packages.client, version);
  for (const folder of Object.values(packages)) writeTarball(folder);
} finally {
  rmSync(temporary, { recursive: true });
}

/**
 * A tarball as `npm pack` makes it, in a tenth of the time. The same checkout gives the same bytes: files are sorted, all have one time (that
 * of npm) and one owner, and no permission depends on the umask.
 */
function writeTarball(folder: string): void {
  const { name }: Manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = path.join(into, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  const sameForAll = ['--sort=name', '--mtime=1985-10-26 08:15:00Z', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  const packed = ['--format=ustar', '--transform=s,^[.],package,', '--use-compress-program=gzip -9 --no-name'];
  run('tar', ['--create', '--file', file, ...sameForAll, ...packed, '.'], folder);
  console.log(
    `${path.relative(process.cwd(), file)}  ${(statSync(file).size / 1e6).toLocaleString('en', { maximumSignificantDigits: 2 })} MB`,
  );
}
