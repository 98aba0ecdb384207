import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The projects that take longest begin first, so that short tests fill the end of the run. */
const ORDER = ['distribution', 'faults', 'web', 'api', 'unit', 'measured'];

/** Keeps the files of a project together, because a worker reuses loaded modules only for files of the same project. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => ORDER.indexOf(a.project.name) - ORDER.indexOf(b.project.name));
  }
}
