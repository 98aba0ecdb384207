import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../../server/test/support/free-port.ts';
import { CHECKOUT, temporaryFolder, until } from '../../server/test/support/process.ts';
import { launchBrowser } from './support/visitor.ts';

test('the pages of `npm run dev` work in a browser', async () => {
  const [port, pagesPort] = [await freePort(), await freePort()];
  const folder = temporaryFolder();
  const dev = spawn(process.execPath, ['server/dev.ts'], {
    cwd: CHECKOUT,
    env: { PATH: process.env['PATH'], HOME: folder, DATA_DIR: path.join(folder, 'data'), PORT: `${port}`, PAGES_PORT: `${pagesPort}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  dev.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const browser = await launchBrowser();
  try {
    await until(() => printed.includes('Waybill is ready.'));
    const page = await browser.newPage();
    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(String(error)));
    await page.goto(`http://127.0.0.1:${pagesPort}/sign-in`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(failures).toEqual([]);
  } finally {
    await browser.close();
    const ended = once(dev, 'exit');
    dev.kill('SIGINT');
    await ended;
  }
});
