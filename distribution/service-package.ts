import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { builtPages } from '../server/src/platform/processes/web-build.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { compile, compiled, type Exports, type Manifest, manifestIn, ROOT } from './checkout.ts';
import { thirdPartyLicences } from './licences.ts';
import { lockedPackages, pagePackages, writeLock } from './packages.ts';

/** Folders and files that are copied unchanged. */
const SHIPPED = ['server/migrations', 'server/sql', 'docs', 'LICENSE', 'README.md', 'CHANGELOG.md', '.env.example'];
/** Files for people who work on the code. */
const NOT_SHIPPED = ['docs/adr', 'docs/proof/vectors', 'docs/screenshots', 'server/migrations/schema.sql'];
/** The packages of the checkout that are compiled into the service. */
const WORKSPACES = ['cli', 'client', 'documents', 'mcp', 'proof'];

/** `waybill`: the service and its commands, with the folders of the checkout, and JavaScript in place of TypeScript. */
export async function writeServicePackage(folder: string, version: string): Promise<void> {
  mkdirSync(folder);
  compile('tsconfig.service.json', folder);
  for (const file of globSync('{server,packages}/**/*.js', { cwd: folder })) linkWorkspaces(folder, file);
  const isShipped = (source: string) => !NOT_SHIPPED.includes(path.relative(ROOT, source));
  for (const part of SHIPPED) cpSync(path.join(ROOT, part), path.join(folder, part), { recursive: true, filter: isShipped });
  const pages = await builtPages(console.log);
  cpSync(pages, path.join(folder, path.relative(ROOT, pages)), { recursive: true });

  const manifest = serviceManifest(version);
  writeLock(manifest, folder);
  copyPackages(manifest, folder);
  rmSync(path.join(folder, 'package-lock.json'));
  describeContents(manifest, folder);
}

function serviceManifest(version: string): Manifest {
  const { name, description, license, type, engines, bin = {}, dependencies, optionalDependencies = {} } = manifestIn('.');
  const inherited = WORKSPACES.map((workspace) => manifestIn(`packages/${workspace}`).dependencies ?? {});
  const all = Object.entries(Object.assign({}, dependencies, ...inherited)).filter(([name]) => !name.startsWith('@waybill/'));
  return {
    name,
    version,
    description,
    license,
    private: true,
    type,
    engines,
    bin: Object.fromEntries(Object.entries(bin).map(([command, file]) => [command, compiled(file)])),
    dependencies: Object.fromEntries(all.sort()) as Record<string, string>,
    optionalDependencies,
    // npm ignores lock files in tarballs, so the package bundles the dependencies with which the tests ran.
    bundleDependencies: all.map(([name]) => name),
  };
}

/** Types and source maps, which are half of the packages and which nothing reads when the service runs. */
const NOT_RUN = /\.([cm]?ts|map)$/;

/** The binaries of PostgreSQL are left to npm, which installs those for the processor. */
function copyPackages({ optionalDependencies = {} }: Manifest, folder: string): void {
  for (const { location, name } of lockedPackages(folder)) {
    if (Object.hasOwn(optionalDependencies, name)) continue;
    const source = path.join(ROOT, location);
    // Packages inside this one have their own rows in the lock file.
    const filter = (file: string) => file !== path.join(source, 'node_modules') && !NOT_RUN.test(file);
    cpSync(source, path.join(folder, location), { recursive: true, filter });
  }
}

/** Turns imports of `@waybill/client` and its like into paths, because those packages are part of this one. */
function linkWorkspaces(folder: string, file: string): void {
  const location = path.join(folder, file);
  const code = readFileSync(location, 'utf8');
  const linked = code.replace(/(\bfrom |\bimport\()(['"])@waybill\/([a-z]+)((?:\/[\w-]+)*)\2/g, (_, before, quote, name, subpath) => {
    const target = path.posix.join('packages', name, compiled(exported(manifestIn(`packages/${name}`), `.${subpath}`)));
    const relative = path.posix.relative(path.posix.dirname(file), target);
    return `${before}${quote}${relative.startsWith('.') ? relative : `./${relative}`}${quote}`;
  });
  if (linked !== code) writeFileSync(location, linked);
}

function exported({ name, exports = {} }: Manifest, subpath: string): string {
  const found: Exports | undefined = typeof exports === 'string' ? (subpath === '.' ? exports : undefined) : exports[subpath];
  if (typeof found !== 'string') throw new Error(`${name} has no file for ${subpath} in its exports.`);
  return found;
}

/** Writes the list of all packages inside or beside the service, with those in the pages, and their licences. */
function describeContents(manifest: Manifest, folder: string): void {
  // npm names the list after the folder, so the folder has the name of the package.
  const aside = path.join(path.dirname(folder), 'contents', manifest.name);
  mkdirSync(aside, { recursive: true });
  writeLock({ ...manifest, bundleDependencies: undefined, dependencies: { ...manifest.dependencies, ...pagePackages() } }, aside);
  writeFileSync(path.join(folder, 'sbom.cdx.json'), billOfMaterials(aside));
  writeFileSync(path.join(folder, 'THIRD-PARTY-LICENCES.txt'), thirdPartyLicences(lockedPackages(aside)));
}
