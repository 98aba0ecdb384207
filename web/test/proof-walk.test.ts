import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { pythonWith } from '../../clients/test/python-environment.ts';
import { CHECKOUT, startProcess, temporaryFolder } from '../../server/test/support/process.ts';
import { launchBrowser } from './support/visitor.ts';

interface Ran {
  code: number;
  output: string;
}

function run(command: string, args: string[], env: Record<string, string> = {}): Promise<Ran> {
  const all = { PATH: process.env['PATH'] ?? '', HOME: temporaryFolder(), PYTHONDONTWRITEBYTECODE: '1', ...env };
  return new Promise((resolve) => {
    execFile(command, args, { env: all, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, output: stdout + stderr }),
    );
  });
}

const waybill = (args: string[], env: Record<string, string> = {}) =>
  run(process.execPath, [path.join(CHECKOUT, 'packages/cli/src/main.ts'), ...args], env);

/** Opens verify.html from disk, without a network, and gives its verdict. */
async function verdictOfPage(page: string, proof: string, vkey: string): Promise<string | null> {
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ offline: true });
    const tab = await context.newPage();
    await tab.goto(pathToFileURL(page).href);
    await tab.locator('#trust').fill(vkey);
    await tab.locator('#files').setInputFiles(proof);
    const verdict = tab.locator('#result h2').first();
    await verdict.waitFor();
    return await verdict.textContent();
  } finally {
    await browser.close();
  }
}

test('a proof outlives the service: send, download, stop, delete all data, verify with three tools', async () => {
  const [dataFolder, kept] = [temporaryFolder(), temporaryFolder()];
  const service = await startProcess({ env: { DATA_DIR: dataFolder } });
  const json = { items: [{ sku: 'A-1', quantity: 3 }] };
  const { body: sent } = await service.api('acme/purchasing').send({ to: 'globex', subject: 'Order 4711', json });
  const { vkey } = (await service.api('acme/purchasing').request('GET', '/.well-known/waybill.json')).body.log;
  const [proof, page, forged] = ['order.waybill-proof', 'verify.html', 'forged.waybill-proof'].map((name) => path.join(kept, name)) as [
    string,
    string,
    string,
  ];
  const downloaded = await waybill(['receipt', 'proof', sent.id, '-o', proof], {
    WAYBILL_URL: service.url,
    WAYBILL_KEY: service.keys['acme/purchasing'] ?? '',
  });
  expect(downloaded.code, downloaded.output).toBe(0);
  writeFileSync(page, await (await fetch(`${service.url}/verify.html`)).text());
  await service.stop();
  rmSync(dataFolder, { recursive: true });
  expect(existsSync(dataFolder)).toBe(false);
  writeFileSync(forged, readFileSync(proof, 'utf8').replaceAll('Order 4711', 'Order 4712'));

  const byCommand = await waybill(['receipt', 'verify', proof, '--vkey', vkey]);
  expect([byCommand.code, byCommand.output]).toEqual([0, expect.stringContaining(`Message ${sent.id} from `)]);
  expect((await waybill(['receipt', 'verify', forged, '--vkey', vkey])).code).toBe(1);
  expect((await waybill(['receipt', 'verify', proof])).code).toBe(6);

  expect(await verdictOfPage(page, proof, vkey)).toBe('Verified');
  expect(await verdictOfPage(page, forged, vkey)).toBe('Not verified');
  expect(await verdictOfPage(page, proof, '')).toBe('Not verified: no trusted key');

  const python = await pythonWith(path.join(CHECKOUT, 'clients/python/pyproject.toml'));
  if (typeof python !== 'string') return console.warn(`verify.py was not tried: ${python.missing}`);
  const program = path.join(CHECKOUT, 'docs/proof/verify.py');
  const byPython = await run(python, [program, proof, '--vkey', vkey]);
  expect(byPython.code, byPython.output).toBe(0);
  expect((await run(python, [program, forged, '--vkey', vkey])).code).toBe(1);
  expect((await run(python, [program, proof])).code).toBe(6);
});
