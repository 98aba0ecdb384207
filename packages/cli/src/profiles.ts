import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { messageOf, UsageError } from './problems.ts';

export interface Profile {
  url: string;
  key: string;
  handle: string;
  /** The key of `--sign`. Its private half is stored nowhere else. */
  signingKey?: { id: string; privateKey: string };
}

interface Stored {
  current: string;
  profiles: Record<string, Profile>;
}

export const DEFAULT_PROFILE = 'default';
const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** Addresses and keys, in a file that only its owner can read. */
export class Profiles {
  readonly file: string;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    const base = env['XDG_CONFIG_HOME'] || path.join(env['HOME'] || homedir(), '.config');
    this.file = path.join(base, 'waybill', 'profiles.json');
  }

  read(): Stored {
    let text: string;
    try {
      text = readFileSync(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: DEFAULT_PROFILE, profiles: {} };
      throw new UsageError(`Couldn’t read ${this.file}: ${messageOf(error)}`);
    }
    try {
      const { current, profiles }: Stored = JSON.parse(text);
      // No prototype, because a profile can have any name.
      return { current: String(current), profiles: Object.assign(Object.create(null), profiles) };
    } catch {
      throw new UsageError(`${this.file} is not JSON. Correct it, or delete it and log in again.`);
    }
  }

  get(name: string | undefined): Profile | undefined {
    const { current, profiles } = this.read();
    const found = profiles[name ?? current];
    if (name !== undefined && !found) throw new UsageError(`There is no profile "${name}". Create it: waybill login --profile ${name}`);
    return found;
  }

  save(name: string, profile: Profile): void {
    if (!NAME.test(name)) throw new UsageError('The name of a profile has up to 64 letters, digits, dots, underscores and hyphens.');
    const stored = this.read();
    this.#write({ current: name, profiles: { ...stored.profiles, [name]: profile } });
  }

  use(name: string): void {
    this.get(name);
    this.#write({ ...this.read(), current: name });
  }

  remove(name: string | undefined): string {
    const { current, profiles } = this.read();
    const removed = name ?? current;
    this.get(removed);
    const { [removed]: _, ...rest } = profiles;
    this.#write({ current: removed === current ? (Object.keys(rest)[0] ?? DEFAULT_PROFILE) : current, profiles: rest });
    return removed;
  }

  /** Writes atomically: a crash leaves the old file or the new one. */
  #write(stored: Stored): void {
    const folder = path.dirname(this.file);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const temporary = `${this.file}.${process.pid}`;
    writeFileSync(temporary, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
    chmodSync(temporary, 0o600);
    renameSync(temporary, this.file);
  }
}
