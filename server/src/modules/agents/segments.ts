import { invalid, Refusal } from '../../contract/errors.ts';
import { SEGMENT_MAX_CHARS } from '../../contract/limits.ts';
import { parseSegment } from '../../contract/names.ts';
import { isUniqueViolation } from '../../platform/postgres/postgres.ts';

export { assignSegment, isSegmentTaken, lockSegments } from './segment-store.ts';

export function checkedSegment(text: string): string {
  const segment = parseSegment(text);
  if (segment !== undefined) return segment;
  throw invalid([{ path: '/segment', message: `must be 1 to ${SEGMENT_MAX_CHARS} letters, digits and hyphens, no hyphen at either end` }]);
}

export async function refusingTakenSegment<T>(segment: string | null | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) refuseTakenSegment(segment);
    throw error;
  }
}

export function refuseTakenSegment(segment: string | null | undefined): never {
  throw new Refusal('conflict', `The segment ${segment} is already taken in this business.`);
}
