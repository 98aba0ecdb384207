import type { Waybill } from '@waybill/client';
import type { Io } from './io.ts';
import type { Output } from './output.ts';
import { UsageError } from './problems.ts';
import type { Profile, Profiles } from './profiles.ts';

export interface Option {
  type: 'string' | 'boolean';
  short?: string;
  multiple?: boolean;
  value?: string;
  choices?: readonly string[];
  help: string;
}

export interface Call {
  args: string[];
  options: Options;
  output: Output;
  io: Io;
  profiles: Profiles;
  signal: AbortSignal;
  waybill(): Waybill;
  account(): Account;
}

export interface Account {
  url: string;
  key: string | undefined;
  /** The signing key of the profile, if the key is that of the profile. */
  signingKey?: Profile['signingKey'];
}

export class Options {
  readonly #values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

  constructor(values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>) {
    this.#values = values;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  is(name: string): boolean {
    return this.#values[name] === true;
  }

  list(name: string): string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  count(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^[1-9]\d{0,8}$/.test(value)) throw new UsageError(`--${name} must be a number from 1 on.`);
    return Number(value);
  }

  /** Returns those of the named options that were given, for the query of a request. */
  given(...names: string[]): Record<string, string> {
    return Object.fromEntries(
      names.flatMap((name) => [[name, this.text(name)]]).filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
  }
}

export interface Command {
  name: string;
  /** The arguments, such as `<to>`. Those in brackets are optional, and `…` takes any number. */
  args: string;
  help: string;
  options?: Record<string, Option>;
  examples: string[];
  run(call: Call): Promise<void>;
}
