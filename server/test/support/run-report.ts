import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

export const REPORT_SETTING = 'WAYBILL_TEST_REPORT';
/**
 * If no more files than this failed, they are run again, one after another: tests depend on time-outs and leases of seconds, and a shared
 * machine may stand still for that long.
 */
const SECOND_TRIES_MAX = 3;
const ROOT = path.resolve(import.meta.dirname, '../../..');

export interface RunReport {
  passed: number;
  failed: number;
  files: { name: string; isOk: boolean; seconds: number }[];
  /** Errors that belong to no test, such as a rejection that nobody handled. */
  strayErrors: number;
}

/** The files that get a second try. None, and `hasFailed`: the run has failed, and no second try could change that. */
export function secondTriesOf({ files, strayErrors }: RunReport): { again: string[]; hasFailed: boolean; why: string } {
  const failed = files.filter(({ isOk }) => !isOk).map(({ name }) => name);
  const list = failed.join(', ');
  if (strayErrors > 0)
    return { again: [], hasFailed: true, why: `${strayErrors} errors belong to no test. Files that failed: ${list || 'none'}` };
  if (failed.length > SECOND_TRIES_MAX)
    return {
      again: [],
      hasFailed: true,
      why: `${failed.length} files failed, more than the ${SECOND_TRIES_MAX} that may have a second try: ${list}`,
    };
  return { again: failed, hasFailed: false, why: `${failed.length} files failed. Once more, one after the other: ${list}` };
}

/** Writes the report of a run of vitest into the file that the setting names. */
export default class RunReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], strayErrors: readonly unknown[]): void {
    const file = process.env[REPORT_SETTING];
    if (file === undefined) return;
    const tests = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const report: RunReport = {
      passed: tests.filter((state) => state === 'passed').length,
      failed: tests.filter((state) => state === 'failed').length,
      files: modules.map((module) => ({
        name: path.relative(ROOT, module.moduleId),
        isOk: module.ok(),
        seconds: Math.round(module.diagnostic().duration / 1000),
      })),
      strayErrors: strayErrors.length,
    };
    writeFileSync(file, JSON.stringify(report));
  }
}
