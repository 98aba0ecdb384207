import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { newAuthority } from '../server/test/support/certificates.ts';
import { type ServiceUnderTest, startServiceUnderTest } from './service-process.ts';

/** The folders of JSON Schema's public test suite that are run, with the dialect of schemas that name none. */
const DIALECTS: Record<string, string> = {
  draft4: 'http://json-schema.org/draft-04/schema#',
  draft6: 'http://json-schema.org/draft-06/schema#',
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
};
const REMOTE = 'localhost:1234';
const WORKERS = 8;

interface Group {
  file: string;
  description: string;
  schema: unknown;
  tests: { description: string; data: unknown; valid: boolean }[];
}

interface Score {
  passed: number;
  failed: string[];
  remote: number;
}

const folder = process.argv[2];
if (folder === undefined) {
  console.error('Usage: npm run schema-suite -- <folder of the JSON Schema test suite, with draft7, draft2020-12 … in it>');
  process.exit(1);
}

function groupsIn(dialect: string): Group[] {
  const base = path.join(folder as string, dialect);
  const files = readdirSync(base).filter((name) => name.endsWith('.json'));
  return files.flatMap((file) =>
    (JSON.parse(readFileSync(path.join(base, file), 'utf8')) as Omit<Group, 'file'>[]).map((group) => ({ ...group, file })),
  );
}

function withDialect(schema: unknown, uri: string): unknown {
  const isObject = schema !== null && typeof schema === 'object' && !Array.isArray(schema);
  return isObject && !Object.hasOwn(schema, '$schema') ? { $schema: uri, ...schema } : schema;
}

async function call(service: ServiceUnderTest, key: string, method: string, url: string, body: unknown) {
  const response = await fetch(`http://127.0.0.1:${service.port}/v1${url}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

/** Sets the schema, sends each instance, and reads the verdict from the response. The business writes to itself. */
async function runGroup(service: ServiceUnderTest, business: { handle: string; key: string }, group: Group, uri: string, score: Score) {
  const set = await call(service, business.key, 'PUT', '/inbox/schema', { schema: withDialect(group.schema, uri) });
  if (set.status !== 200 && JSON.stringify(group.schema).includes(REMOTE)) {
    score.remote += group.tests.length;
    return;
  }
  for (const { description, data, valid } of group.tests) {
    const name = `${group.file}: ${group.description} / ${description}`;
    if (set.status !== 200) {
      score.failed.push(`${name} (${set.text})`);
      continue;
    }
    const sent = await call(service, business.key, 'POST', '/messages', { to: business.handle, json: data });
    const verdict = sent.status === 201 ? (JSON.parse(sent.text) as { validation: { status: string } }).validation.status : sent.text;
    if (verdict === (valid ? 'passed' : 'failed')) score.passed++;
    else score.failed.push(`${name} (${verdict})`);
  }
}

async function runDialect(service: ServiceUnderTest, dialect: string): Promise<Score> {
  const score: Score = { passed: 0, failed: [], remote: 0 };
  const queue = groupsIn(dialect);
  const total = queue.length;
  let done = 0;
  await Promise.all(
    Array.from({ length: WORKERS }, async (_, i) => {
      const handle = `${dialect.replace('draft', 'suite-').replaceAll('.', '-')}-${i}`;
      const { key } = await service.createBusiness(handle);
      for (let group = queue.shift(); group; group = queue.shift()) {
        await runGroup(service, { handle, key }, group, DIALECTS[dialect] as string, score);
        if (++done % 25 === 0 || done === total)
          console.error(`· ${dialect}: ${done} of ${total} schemas, ${score.failed.length} cases failed`);
      }
    }),
  );
  return score;
}

const dialects = readdirSync(folder).filter((name) => name in DIALECTS);
if (dialects.length === 0) throw new Error(`There is no ${Object.keys(DIALECTS).join(', no ')} in ${folder}.`);
const service = await startServiceUnderTest(newAuthority());
try {
  const all: Score = { passed: 0, failed: [], remote: 0 };
  const lines: Record<string, unknown>[] = [];
  const line = (name: string, { passed, failed, remote }: Score) =>
    lines.push({
      '': name,
      passed,
      failed: failed.length,
      score: `${((100 * passed) / (passed + failed.length)).toFixed(2)} %`,
      'aside, need remote documents': remote,
    });
  for (const dialect of dialects) {
    const score = await runDialect(service, dialect);
    for (const name of score.failed.toSorted()) console.log(`${dialect}/${name}`);
    line(dialect, score);
    all.passed += score.passed;
    all.remote += score.remote;
    all.failed.push(...score.failed);
  }
  line('all', all);
  console.table(lines);
} finally {
  await service.stop();
}
