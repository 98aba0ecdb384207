import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** `npm run test:hsm`: a key of the log in a PKCS#11 module, which SoftHSM plays. */
const MODULES = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/pkcs11/libsofthsm2.so', '/usr/lib64/softhsm/libsofthsm.so'];
const TOOL = '/usr/bin/pkcs11-tool';

const found = MODULES.find((file) => existsSync(file));
if (found === undefined || !existsSync(TOOL)) {
  console.error('SoftHSM or OpenSC is missing: install them (on Debian: sudo apt-get install softhsm2 opensc) and run this again.');
  process.exit(1);
}
const vitest = path.resolve(import.meta.dirname, '../../node_modules/.bin/vitest');
const run = spawn(vitest, ['run', '--project=hsm'], { stdio: 'inherit', env: { ...process.env, PKCS11_MODULE: found } });
process.exitCode = await new Promise<number>((resolve) => run.once('close', (code) => resolve(code ?? 1)));
