/** The class of a thread is the sum of these. sql/threads/thread_class.sql computes it. */
const IN = 1;
const OUT = 2;
const DONE = 4;
const ASSIGNED = 8;
const FAILED = 16;
/** Every thread has a message in the inbox or in the outbox. */
export const CLASSES: readonly number[] = Array.from({ length: 32 }, (_, number) => number).filter((number) => (number & (IN | OUT)) !== 0);

interface ClassConditions {
  box?: 'in' | 'out' | undefined;
  isDone?: boolean | undefined;
  isAssigned?: boolean | undefined;
  failedSchema?: boolean | undefined;
}

export function classesOf({ box, isDone, isAssigned, failedSchema }: ClassConditions): number[] {
  const wanted: [number, boolean | undefined][] = [
    [box === 'out' ? OUT : IN, box === undefined ? undefined : true],
    [DONE, isDone],
    [ASSIGNED, isAssigned],
    [FAILED, failedSchema],
  ];
  return CLASSES.filter((number) => wanted.every(([bit, isSet]) => isSet === undefined || ((number & bit) !== 0) === isSet));
}
