import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { pythonWith } from '../../../clients/test/python-environment.ts';
import { temporaryFolder } from '../../../server/test/support/process.ts';
import { ProofError, verifyBundle } from '../src/index.ts';
import { type BrokenFile, brokenFiles } from './support/broken-files.ts';
import { missingGo, runGo } from './support/go.ts';
import { VECTORS } from './support/vectors.ts';

/* Files that are made to keep a verifier busy. Each one says soon, and in one word, what is wrong. */

const LONGEST_MS = 5_000;
const PROGRAM = path.resolve(VECTORS, '../verify.py');
const PROJECT = path.resolve(import.meta.dirname, '../../../clients/python/pyproject.toml');
const folder = temporaryFolder();
const policy = readFileSync(path.join(VECTORS, 'policy.txt'), 'utf8');
const vkey = readFileSync(path.join(VECTORS, 'vkey.txt'), 'utf8').trim();

let files: BrokenFile[] = [];
beforeAll(async () => {
  files = await brokenFiles();
});

test('the library', async () => {
  for (const { name, trust, verdict, failed, text } of files) {
    const start = process.cpuUsage();
    const found = await verifyBundle(text, trust === 'vkey' ? { vkeys: [vkey] } : { policy }).catch((error: unknown) => {
      if (error instanceof ProofError) return { verdict: 'unusable', checks: [] };
      throw error;
    });
    const { user, system } = process.cpuUsage(start);
    const failures = found.checks.flatMap((one) => (one.state === 'failed' ? [`${one.part} ${one.reason}`] : []));
    expect([found.verdict, [...new Set(failures)].sort()], name).toEqual([verdict, failed]);
    expect((user + system) / 1_000, name).toBeLessThan(LONGEST_MS);
  }
});

describe('the verifier in', () => {
  test('Python', async () => {
    const python = await pythonWith(PROJECT);
    if (typeof python !== 'string') return console.warn(`verify.py was not tried: ${python.missing}`);
    const proof = path.join(folder, 'broken.waybill-proof');
    const codes = { verified: 0, failed: 1, unusable: 2, untrusted: 6 };
    for (const { name, trust, verdict, failed, text } of files) {
      writeFileSync(proof, text);
      const trusted = trust === 'vkey' ? ['--vkey', vkey] : ['--policy', path.join(VECTORS, 'policy.txt')];
      const [code, output] = await new Promise<[unknown, string]>((resolve) => {
        const options = { timeout: 4 * LONGEST_MS, maxBuffer: 64 * 1_048_576 };
        execFile(python, ['-B', PROGRAM, proof, ...trusted], options, (error, stdout) => resolve([error ? error.code : 0, stdout]));
      });
      const failures = [...output.matchAll(/^FAIL ([\w-]+) ([\w-]+):/gm)].map(([, part, reason]) => `${part} ${reason}`);
      expect([code, [...new Set(failures)].sort()], `${name}: ${output.slice(0, 2_000)}`).toEqual([codes[verdict], failed]);
    }
  });

  test('Go', async () => {
    const reason = await missingGo();
    if (reason !== undefined) return console.warn(`The verifier in Go was not tried: ${reason}`);
    const vectors = path.join(folder, 'vectors');
    mkdirSync(path.join(vectors, 'forgeries'), { recursive: true });
    writeFileSync(path.join(vectors, 'policy.txt'), policy);
    writeFileSync(path.join(vectors, 'vkey.txt'), vkey);
    writeFileSync(path.join(vectors, 'forgeries/forgeries.json'), '[]');
    const listed = files.map(({ name, trust }) => ({ name, trust, file: `${name}.waybill-proof` }));
    writeFileSync(path.join(vectors, 'vectors.json'), JSON.stringify(listed));
    for (const { name, text } of files) writeFileSync(path.join(vectors, `${name}.waybill-proof`), text);
    const { isFine, stdout, stderr } = await runGo(['run', '.', 'vectors', vectors]);
    expect(isFine, stderr).toBe(true);
    expect(JSON.parse(stdout)).toMatchObject(files.map(({ name, verdict, failed }) => ({ name, verdict, failed })));
  });
});
