import pg from 'pg';
import { codeOf } from '../../contract/thrown.ts';

/** 42P01: a table is gone, because the database has been distributed since this process was started (distribute.ts). */
const UNAVAILABLE_STATES = /^(08|53|57P|25006|55P03|58030|42P01)/;
const UNAVAILABLE_ERRNO = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);
/** These codes are about a socket that does not exist yet. In any other system call, they mean something else. */
const UNCONNECTED_ERRNO = new Set(['ENOENT', 'EACCES']);
const UNAVAILABLE_WORDS =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|not queryable|Cannot use a pool after calling end/;
const DISK_FULL = '53100';
/** PostgreSQL has no error code for a quota. */
const DISK_FULL_WORDS = /No space left on device|Disk quota exceeded|File too large/;

/**
 * The database did not respond in time, and the connection was given up. Whether the statement was committed is unknown. The error code is
 * that of a connection that timed out.
 */
export class NoResponse extends Error {
  readonly code = 'ETIMEDOUT';
}

/** Whether the database can't be reached, is starting, stopping or full, or hangs. A refused statement does not count. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code !== undefined && (UNAVAILABLE_STATES.test(code) || UNAVAILABLE_ERRNO.has(code))) return true;
  if (code !== undefined && UNCONNECTED_ERRNO.has(code) && 'syscall' in error && error.syscall === 'connect') return true;
  return UNAVAILABLE_WORDS.test(error.message) || isDiskFull(error);
}

export function isDiskFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === DISK_FULL || DISK_FULL_WORDS.test(error.message));
}

const UNIQUE_VIOLATION = '23505';
const QUERY_CANCELED = '57014';

export function isTimeout(error: unknown): boolean {
  return codeOf(error) === QUERY_CANCELED;
}

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === UNIQUE_VIOLATION;
}
