import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../server/test/support/process.ts';
import { startTestService, type TestService } from '../../server/test/support/service.ts';

/**
 * A program each in Java and Go that uses a client generated from the OpenAPI document. They prove that generators can read the document.
 */
const FOLDER = path.resolve(import.meta.dirname, '../generated');
/** The first run on a machine downloads Maven's plug-ins. */
const LONGEST_MS = 570_000;
/** Matches the messages of Maven and Go when they can't reach a registry. */
const OFFLINE =
  /Could not (transfer|find) artifact|could not be resolved|UnknownHostException|no such host|dial tcp|connection refused|i\/o timeout/i;

let service: TestService;
let keys: [sender: string, recipient: string];
const output = temporaryFolder();

beforeAll(async () => {
  service = await startTestService();
  const [acme, globex] = [await service.business('acme'), await service.business('globex', { segment: 'orders' })];
  keys = [acme.secret, globex.secret];
});
afterAll(() => service.stop());

function run(program: string, args: string[], cwd = FOLDER): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd, timeout: LONGEST_MS, maxBuffer: 64 * 1_048_576 }, (error, stdout, stderr) => {
      const how = error?.killed ? `did not end within ${LONGEST_MS / 1_000} s` : 'failed';
      if (error) reject(new Error(`${program} ${args[0]} ${how}.\n${stdout}${stderr}`));
      else resolve(stdout);
    });
  });
}

/** Says why something can't be tried here. Undefined: it can. */
async function missing(program: string, version: string): Promise<string | undefined> {
  if (process.env['WAYBILL_TEST_INSTALL'] === 'no') return 'WAYBILL_TEST_INSTALL is "no".';
  return run(program, [version]).then(
    () => undefined,
    () => `there is no ${program}.`,
  );
}

/** Runs the work. Returns why there is no result: without a registry, nothing can be said about the document. */
async function unlessOffline(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Error && OFFLINE.test(error.message)) return 'a registry can’t be reached.';
    throw error;
  }
}

let isGenerated = false;

test('a client in Java, generated from the OpenAPI document, sends and reads a message', async ({ skip }) => {
  const document = path.join(output, 'openapi.json');
  writeFileSync(document, await (await fetch(`${service.url}/openapi.json`)).text());
  const classpath = `${output}/classpath`;
  const goals = ['compile', 'dependency:build-classpath', `-Dmdep.outputFile=${classpath}`];
  const reason =
    (await missing('mvn', '-version')) ??
    (await unlessOffline(async () => {
      // This goal generates the Go client, too.
      await run('mvn', ['-B', '-q', `-Ddocument=${document}`, `-Doutput=${output}`, ...goals]);
    }));
  if (reason !== undefined) {
    console.warn(`Neither Java nor Go was tried, which Maven generates: ${reason}`);
    return skip();
  }
  isGenerated = true;
  const libraries = readFileSync(classpath, 'utf8').trim();
  expect(await run('java', ['-cp', `${output}/classes:${libraries}`, 'SendAndRead', service.url, ...keys])).toMatch(/msg_/);
});

test('a client in Go does, too', async ({ skip }) => {
  if (!isGenerated) return skip();
  const folder = path.join(output, 'go');
  const program = path.join(folder, 'cmd/send-and-read');
  mkdirSync(program, { recursive: true });
  copyFileSync(path.join(FOLDER, 'go/main.go'), path.join(program, 'main.go'));
  const reason = (await missing('go', 'version')) ?? (await unlessOffline(async () => void (await run('go', ['mod', 'tidy'], folder))));
  if (reason !== undefined) {
    console.warn(`Go was not tried: ${reason}`);
    return skip();
  }
  await run('go', ['build', './...'], folder);
  expect(await run('go', ['run', './cmd/send-and-read', service.url, ...keys], folder)).toMatch(/msg_/);
});
