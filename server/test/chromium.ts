import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/opt/google/chrome/chrome'];

/** Where the browser is that the pages are tested in. */
export const chromiumPath = (): string | undefined => PROGRAMS.find((program) => existsSync(program));

/** Installs it from the distribution, where that is possible; says what to do otherwise. */
export function ensureChromium(): void {
  if (chromiumPath() !== undefined) return;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('Chromium is missing and is being installed.');
    const apt = (...args: string[]) =>
      spawnSync('apt-get', ['-qq', ...args], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    apt('update');
    apt('install', '-y', '--no-install-recommends', 'chromium');
  }
  if (chromiumPath() === undefined)
    throw new Error(
      'The pages are tested in Chromium, which is missing: install it (on Debian: sudo apt-get install chromium) and run the tests again.',
    );
}
