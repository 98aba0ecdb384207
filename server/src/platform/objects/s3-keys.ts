import { S3ServiceException } from '@aws-sdk/client-s3';
import { safeName } from './named-objects.ts';

const KEY = /^(?:objects|uploads)\/([0-9a-f-]{36})$/;

export function objectKey(id: string): string {
  return `objects/${id}`;
}

export function uploadKey(id: string): string {
  return `uploads/${id}`;
}

export function namedKey(name: string): string {
  return `named/${safeName(name)}`;
}

export function idOfKey(key: string | undefined): string | undefined {
  return key?.match(KEY)?.[1];
}

export interface S3Error {
  name?: string;
  $metadata?: { httpStatusCode?: number };
}

/** A condition of a request does not hold. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412;
}

/** Ignores a missing object. A missing bucket is an error. */
export function ifMissing(error: S3Error): undefined {
  if (error.$metadata?.httpStatusCode !== 404 || error.name === 'NoSuchBucket') throw error;
}

export function signedUntil(expiresAt: Date, now: Date): { signingDate: Date; expiresIn: number } {
  return { signingDate: now, expiresIn: Math.max(1, Math.floor((expiresAt.getTime() - now.getTime()) / 1000)) };
}
