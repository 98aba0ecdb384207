import { setTimeout } from 'node:timers/promises';
import type { BundleToken } from '../../src/index.ts';
import { Authority } from './authority.ts';
import type { Stamped } from './sample.ts';

/**
 * How a vector is stamped. listed: with the list of revoked certificates. revoked: the list has the certificate, for a reason that takes earlier timestamps away, too;
 * superseded: for another one, later. renewed: with a list, and the certificate has ended, and a second timestamp came before; too-late: after that.
 */
export type StampKind = 'own' | 'unknown' | 'none' | 'listed' | 'revoked' | 'superseded' | 'renewed' | 'too-late';

/** Returns a timestamp for the text of a checkpoint, for the vector of that name. */
export type Stamps = (name: string, kind: StampKind, what: Stamped, text: string) => Promise<BundleToken>;

/** The key of a timestamp among those that are kept with the vectors. */
const keyOf = (name: string, what: Stamped | 'list') => (what === 'timestamp' ? name : `${name}/${what}`);

/** Timestamps that are kept with the vectors, because each new one has another time. */
export function keptStamps(kept: Record<string, string>): Stamps {
  return async (name, _kind, what) => {
    const list = what === 'timestamp' ? kept[keyOf(name, 'list')] : undefined;
    return { token: kept[keyOf(name, what)] ?? '', ...(list !== undefined && { crls: [list] }) };
  };
}

const ENDS_SOON_MS = 5_000;
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** Makes timestamps by an authority of OpenSSL, and by another one that nobody trusts. */
export class StampMaker {
  readonly kept: Record<string, string> = {};
  readonly #authority: Authority;
  readonly #unknown: Authority;

  constructor() {
    const key = ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'];
    [this.#authority, this.#unknown] = [new Authority({ key, hasChain: true }), new Authority({ key, hasChain: true })];
  }

  get root(): string {
    return this.#authority.root;
  }

  close(): void {
    this.#authority.close();
    this.#unknown.close();
  }

  readonly stamps: Stamps = async (name, kind, what, text) => {
    const key = keyOf(name, what);
    if (this.kept[key] === undefined) await this.#make(name, kind, what, text);
    return keptStamps(this.kept)(name, kind, what, text);
  };

  async #make(name: string, kind: StampKind, what: Stamped, text: string): Promise<void> {
    const authority = kind === 'unknown' ? this.#unknown : this.#authority;
    const ends = what === 'timestamp' && (kind === 'renewed' || kind === 'too-late');
    const isRevoked = kind === 'revoked' || kind === 'superseded';
    if (ends || isRevoked) authority.issueSigner(ends ? new Date(Date.now() + ENDS_SOON_MS) : undefined);
    this.kept[keyOf(name, what)] = base64(authority.stamp(new TextEncoder().encode(text)));
    if (isRevoked) {
      // Revoked in a later second.
      await setTimeout(1_500);
      authority.revoke(kind === 'revoked' ? 'keyCompromise' : 'superseded');
    }
    if (isRevoked || kind === 'listed' || (ends && kind === 'renewed')) this.kept[keyOf(name, 'list')] = base64(authority.list());
    if (ends && kind === 'too-late') await setTimeout(ENDS_SOON_MS + 1_500);
    if (ends || isRevoked) authority.issueSigner();
  }
}
