import { UsageError } from '../problems.ts';

/** Thrown if the log has changed its history, or serves data that contradicts its own checkpoint. */
export class LogIsWrong extends Error {}

/** Thrown if the log could not be read, which says nothing about it. */
export class LogUnreachable extends UsageError {}
