import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../server/test/support/process.ts';
import { startTestService, type TestService } from '../../server/test/support/service.ts';
import { missing, run, unlessOffline } from './programs.ts';

/** Linters of OpenAPI documents, each with the rules that it recommends. Not packages of the project: each brings hundreds of others. */
const LINTERS = [
  { name: 'Redocly', package: '@redocly/cli@2.77.0', command: ['redocly', 'lint', 'openapi.json'] },
  { name: 'Spectral', package: '@stoplight/spectral-cli@6.16.3', command: ['spectral', 'lint', '-F', 'error', 'openapi.json'] },
];
/** Redocly reports its use, and asks for newer releases, unless told not to. */
const SETTINGS = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

let service: TestService;
const folder = temporaryFolder();

beforeAll(async () => {
  service = await startTestService();
  const response = await fetch(`${service.url}/openapi.json`);
  expect(response.status).toBe(200);
  writeFileSync(path.join(folder, 'openapi.json'), await response.text());
  writeFileSync(path.join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
});
afterAll(() => service.stop());

test.for(LINTERS)('$name finds no error in the OpenAPI document', async ({ name, package: source, command }, { skip }) => {
  const npx = (...args: string[]) =>
    run('npx', ['--yes', '--prefer-offline', '--ignore-scripts', `--package=${source}`, '--', ...args], folder, { env: SETTINGS });
  const [program = '', ...args] = command;
  const reason = (await missing('npx', '--version', folder)) ?? (await unlessOffline(async () => void (await npx(program, '--version'))));
  if (reason !== undefined) {
    console.warn(`${name} was not tried: ${reason}`);
    return skip();
  }
  // Rejects with the errors that the linter has found.
  await npx(program, ...args);
});
