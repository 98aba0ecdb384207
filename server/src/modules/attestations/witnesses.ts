import { formatVkey, isQuorum, type Policy, parseNote } from '@waybill/proof';
import type { Database } from '../../platform/postgres/postgres.ts';
import { attestorsOf } from './attestor-store.ts';
import type { WitnessAddress } from './witness-request.ts';

/** A witness, as the service tells of it. */
export interface WitnessView {
  name: string;
  vkey: string;
  url: string;
  /** The newest checkpoint that it has cosigned. */
  size: number | null;
  cosignedAt: Date | null;
  /** Why it did not respond as it should, since the last cosignature. */
  failure: string | null;
}

/** The witnesses of the operator's policy. */
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

  /** Whether the cosignatures of a checkpoint, which were verified when they came, are enough for the policy. */
  isQuorum(note: string): boolean {
    const { signatures } = parseNote(note);
    const signed = this.addresses.filter(({ key }) => signatures.some((one) => one.name === key.name && one.keyId === key.keyId));
    return isQuorum(this.#policy, new Set(signed.map(({ name }) => name)));
  }
}

/** Under which a witness is stored: another key is another witness. */
export function idOf({ key }: WitnessAddress): string {
  return formatVkey(key);
}
