import { formatVkey, isQuorum, type Policy, parseNote } from '@waybill/proof';
import type { Database } from '../../platform/postgres/postgres.ts';
import { attestorsOf } from './attestor-store.ts';
import type { WitnessAddress } from './witness-request.ts';

export interface WitnessView {
  name: string;
  vkey: string;
  url: string;
  size: number | null;
  cosignedAt: Date | null;
  failure: string | null;
}

export class Witnesses {
  readonly addresses: readonly WitnessAddress[];
  readonly #policy: Policy;
  readonly #database: Database;

  constructor(policy: Policy, database: Database) {
    this.#policy = policy;
    this.#database = database;
    this.addresses = policy.witnesses.map(({ name, key, url = '' }) => ({ name, key, url: url.replace(/\/+$/, '') }));
  }

  async list(): Promise<WitnessView[]> {
    const known = await attestorsOf(this.#database, this.addresses.map(idOf));
    return this.addresses.map((witness) => {
      const { newest, failure = null } = known.find(({ id }) => id === idOf(witness)) ?? {};
      const vkey = formatVkey(witness.key);
      return { name: witness.name, vkey, url: witness.url, size: newest?.size ?? null, cosignedAt: newest?.at ?? null, failure };
    });
  }

  /** Does not verify the cosignatures: they were verified when they came. */
  isQuorum(note: string): boolean {
    const { signatures } = parseNote(note);
    const signed = this.addresses.filter(({ key }) => signatures.some((one) => one.name === key.name && one.keyId === key.keyId));
    return isQuorum(this.#policy, new Set(signed.map(({ name }) => name)));
  }
}

/** A witness is stored under its key: another key is another witness. */
export function idOf({ key }: WitnessAddress): string {
  return formatVkey(key);
}
