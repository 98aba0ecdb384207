import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './checkout.ts';
import type { LockedPackage } from './packages.ts';

const LICENCE_FILE = /^(licen[cs]e|copying|notice)\b/i;
const RULE = '-'.repeat(100);

/** The licences of all packages. A text that several packages share appears once. */
export function thirdPartyLicences(packages: LockedPackage[]): string {
  const texts = Map.groupBy(packages, textOf);
  const sections = [...texts].map(([text, sharing]) => `${[...new Set(sharing.map(titleOf))].join('\n')}\n\n${text}`);
  return [`Waybill contains or installs these packages.\n`, ...sections].join(`\n${RULE}\n`);
}

function titleOf({ name, version, license }: LockedPackage): string {
  return `${name} ${version} (${license ?? 'no licence named'})`;
}

/** A package for another kind of processor is not installed here. Its text is that of the package for this one. */
function textOf({ location, license }: LockedPackage): string {
  const candidates = [location, location.replace('arm64', 'x64'), location.replace('x64', 'arm64')].map((name) => path.join(ROOT, name));
  const folder = candidates.find((candidate) => existsSync(candidate)) ?? ROOT;
  const files = readdirSync(folder, { withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile() && LICENCE_FILE.test(file.name))
    .map(({ name }) => readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim());
  return texts.length > 0
    ? `${texts.sort().join('\n\n')}\n`
    : `The package contains no licence text. Its licence is ${license ?? 'not named'}.\n`;
}
