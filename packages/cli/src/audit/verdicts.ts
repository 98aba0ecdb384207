import { UsageError } from '../problems.ts';

/** The log has changed its history, or serves data that contradicts its own checkpoint. */
export class LogIsWrong extends Error {}

/** The log could not be read, which says nothing about its history. */
export class LogUnreachable extends UsageError {}
