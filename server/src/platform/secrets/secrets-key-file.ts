import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from '../../contract/thrown.ts';
import { SECRETS_KEY_BYTES } from './secret-box.ts';

const NAME = 'secrets.key';

export function readSecretsKey(folder: string): Buffer | undefined {
  const file = path.join(folder, NAME);
  if (!existsSync(file)) return undefined;
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (key.length === SECRETS_KEY_BYTES) return key;
  throw new Error(`The file ${file} must hold ${SECRETS_KEY_BYTES} bytes in base64: restore it from a backup.`);
}

/**
 * Creates the key of a data folder, unless it exists. The file gets its name only once it is complete and on disk: several processes may
 * start at once, and secrets whose key a crash has lost can't be read.
 */
export function createSecretsKey(folder: string): void {
  const file = path.join(folder, NAME);
  if (existsSync(file)) return;
  const unfinished = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    write(unfinished, `${randomBytes(SECRETS_KEY_BYTES).toString('base64')}\n`);
    linkSync(unfinished, file);
    syncFolder(folder);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function write(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
