import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What waits longest begins first, so that the short tests fill the end of the run. */
const ORDER = ['distribution', 'faults', 'web', 'api', 'unit', 'measured'];

/** Keeps the files of a project together: a worker hands its loaded modules on only to a file of the same project. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => ORDER.indexOf(a.project.name) - ORDER.indexOf(b.project.name));
  }
}
