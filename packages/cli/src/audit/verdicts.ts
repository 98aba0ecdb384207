import { UsageError } from '../problems.ts';

/** The log is not what it must be: it has changed its history, or serves what does not fit its own checkpoint. */
export class LogIsWrong extends Error {}

/** The log could not be read, which says nothing about it. */
export class LogUnreachable extends UsageError {}
