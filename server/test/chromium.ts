import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The headless shell comes first, because it takes a third less processor time. */
const PROGRAMS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
];

export const chromiumPath = (): string | undefined => PROGRAMS.find((program) => existsSync(program));

export const CHROMIUM_MISSING =
  'Chromium is missing: install it (on Debian: sudo apt-get install chromium-headless-shell) and run the tests again.';

/**
 * Installs Chromium from the distribution as root, and says so first, unless the variable forbids it. Returns false if it is still missing.
 */
export function ensureChromium(install: string | undefined): boolean {
  if (chromiumPath() !== undefined) return true;
  if (install === 'no' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  console.log('Chromium is missing. Installing the system package with apt-get; set WAYBILL_TEST_INSTALL=no to do without.');
  apt('update');
  for (const name of ['chromium-headless-shell', 'chromium'])
    if (chromiumPath() === undefined) apt('install', '-y', '--no-install-recommends', name);
  return chromiumPath() !== undefined;
}

function apt(...args: string[]): void {
  spawnSync('apt-get', ['-qq', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}
