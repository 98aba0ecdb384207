export type { Io } from './command.ts';
export { EXIT, run } from './run.ts';
