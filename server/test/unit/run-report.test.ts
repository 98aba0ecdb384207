import { describe, expect, test } from 'vitest';
import { secondTriesOf } from '../support/run-report.ts';

const files = (failed: number) => Array.from({ length: 6 }, (_, i) => ({ name: `${i}.test.ts`, isOk: i >= failed, seconds: 1 }));
const runOf = (failed: number, strayErrors = 0) => secondTriesOf({ passed: 6 - failed, failed, files: files(failed), strayErrors });

describe('a run of the tests', () => {
  test('without a failure has no second try', () => {
    expect(runOf(0)).toMatchObject({ again: [], hasFailed: false });
  });

  test('with three files that failed tries them again', () => {
    expect(runOf(3)).toMatchObject({ again: ['0.test.ts', '1.test.ts', '2.test.ts'], hasFailed: false });
  });

  test('with four has failed', () => {
    expect(runOf(4)).toMatchObject({ again: [], hasFailed: true, why: expect.stringContaining('4 files failed') });
  });

  test.each([0, 1])('with an error that belongs to no test has failed, whatever else failed', (failed) => {
    expect(runOf(failed, 1)).toMatchObject({ again: [], hasFailed: true });
  });
});
