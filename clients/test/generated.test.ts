import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../server/test/support/process.ts';
import { startTestService, type TestService } from '../../server/test/support/service.ts';
import { missing, run, unlessOffline } from './programs.ts';

/**
 * A program each in Java and Go that uses a client generated from the OpenAPI document. They prove that generators can read the document.
 */
const FOLDER = path.resolve(import.meta.dirname, '../generated');

let service: TestService;
let keys: [sender: string, recipient: string];
const output = temporaryFolder();

beforeAll(async () => {
  service = await startTestService();
  const [acme, globex] = [await service.business('acme'), await service.business('globex', { segment: 'orders' })];
  keys = [acme.secret, globex.secret];
});
afterAll(() => service.stop());

let isGenerated = false;

test('a client in Java, generated from the OpenAPI document, sends and reads a message', async ({ skip }) => {
  const document = path.join(output, 'openapi.json');
  writeFileSync(document, await (await fetch(`${service.url}/openapi.json`)).text());
  const classpath = `${output}/classpath`;
  const goals = ['compile', 'dependency:build-classpath', `-Dmdep.outputFile=${classpath}`];
  const reason =
    (await missing('mvn', '-version', FOLDER)) ??
    (await unlessOffline(async () => {
      // This goal generates the Go client, too.
      await run('mvn', ['-B', '-q', `-Ddocument=${document}`, `-Doutput=${output}`, ...goals], FOLDER);
    }));
  if (reason !== undefined) {
    console.warn(`Neither Java nor Go was tried, which Maven generates: ${reason}`);
    return skip();
  }
  isGenerated = true;
  const libraries = readFileSync(classpath, 'utf8').trim();
  expect(await run('java', ['-cp', `${output}/classes:${libraries}`, 'SendAndRead', service.url, ...keys], FOLDER)).toMatch(/msg_/);
});

test('a client in Go does, too', async ({ skip }) => {
  if (!isGenerated) return skip();
  const folder = path.join(output, 'go');
  const program = path.join(folder, 'cmd/send-and-read');
  mkdirSync(program, { recursive: true });
  copyFileSync(path.join(FOLDER, 'go/main.go'), path.join(program, 'main.go'));
  const reason =
    (await missing('go', 'version', FOLDER)) ?? (await unlessOffline(async () => void (await run('go', ['mod', 'tidy'], folder))));
  if (reason !== undefined) {
    console.warn(`Go was not tried: ${reason}`);
    return skip();
  }
  await run('go', ['build', './...'], folder);
  expect(await run('go', ['run', './cmd/send-and-read', service.url, ...keys], folder)).toMatch(/msg_/);
});
