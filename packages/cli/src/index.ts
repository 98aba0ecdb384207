export type { Io } from './io.ts';
export { EXIT, run } from './run.ts';
