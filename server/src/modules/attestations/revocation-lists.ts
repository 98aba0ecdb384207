import { ProofError, parseRevocationList, requireNotRevoked, type Timestamp } from '@waybill/proof';
import { REVOCATION_ASKED_EVERY_MINUTES, REVOCATION_LIST_MAX_BYTES, REVOCATION_LISTS_MAX } from '../../contract/log-limits.ts';
import { TIMESTAMP_PATIENCE_MS } from '../../contract/witness-limits.ts';
import { boundedFetch } from '../../platform/outbound/bounded-fetch.ts';
import { type Outbound, reasonOf } from '../../platform/outbound/outbound.ts';

/** The lists for a timestamp, and why one is missing, if so. */
export interface FoundLists {
  lists: Uint8Array<ArrayBuffer>[];
  problem: string | undefined;
}

type Got = { list: Uint8Array<ArrayBuffer> } | { problem: string };

const ADDRESSES_MAX = 3;
/** For all lists of a timestamp: the duty to get timestamps is held for a minute. */
const PATIENCE_MS = 20_000;

/**
 * The lists of revoked certificates of timestamp authorities. Their addresses are in certificates, which strangers wrote, so they must be public; those that the operator gives
 * instead need not be.
 */
export class RevocationLists {
  readonly #outbound: Outbound;
  readonly #given: readonly string[];
  /** Key: address. */
  readonly #asked = new Map<string, { at: number; got: Got }>();

  constructor(outbound: Outbound, given: readonly string[]) {
    this.#outbound = outbound;
    this.#given = given;
  }

  /** Throws if a certificate of the timestamp is revoked. */
  async of(stamp: Timestamp, signal: AbortSignal): Promise<FoundLists> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const lists: Uint8Array<ArrayBuffer>[] = [];
    let problem: string | undefined;
    for (const addresses of this.#addressesFor(stamp).slice(0, REVOCATION_LISTS_MAX)) {
      const got = await this.#first(addresses, stamp, limit);
      if (signal.aborted) throw signal.reason;
      if ('problem' in got) problem ??= got.problem;
      else lists.push(got.list);
    }
    return { lists, problem };
  }

  /** For each certificate, the addresses of one list. Without the certificate of its issuer in the timestamp, nobody here could check the list's signature. */
  #addressesFor({ links }: Timestamp): (readonly string[])[] {
    if (this.#given.length > 0) return this.#given.map((one) => [one]);
    return links.flatMap(({ certificate, issuer }) =>
      issuer && certificate.revocationUrls.length > 0 ? [certificate.revocationUrls] : [],
    );
  }

  async #first(addresses: readonly string[], stamp: Timestamp, signal: AbortSignal): Promise<Got> {
    let last: Got = { problem: 'no address' };
    for (const address of addresses.slice(0, ADDRESSES_MAX)) {
      last = await this.#remembered(address, signal);
      if ('problem' in last) continue;
      const unfit = await unfitFor(stamp, last.list);
      if (unfit === undefined) return last;
      last = { problem: `the list at ${address} ${unfit}` };
    }
    return last;
  }

  async #remembered(address: string, signal: AbortSignal): Promise<Got> {
    const known = this.#asked.get(address);
    const now = performance.now();
    if (known && now - known.at < REVOCATION_ASKED_EVERY_MINUTES * 60_000) return known.got;
    for (const [other, { at }] of this.#asked) if (now - at >= REVOCATION_ASKED_EVERY_MINUTES * 60_000) this.#asked.delete(other);
    const got = await this.#get(address, signal);
    // One that was given up early is asked again soon.
    if (!signal.aborted) this.#asked.set(address, { at: now, got });
    return got;
  }

  async #get(address: string, signal: AbortSignal): Promise<Got> {
    try {
      const body = this.#given.includes(address) ? await ofOperator(address, signal) : await this.#ofStranger(address, signal);
      const list = Uint8Array.from(body);
      parseRevocationList(list);
      return { list };
    } catch (error) {
      return { problem: `no list of revoked certificates at ${address}: ${reasonOf(error)}` };
    }
  }

  async #ofStranger(address: string, signal: AbortSignal): Promise<Buffer> {
    const { statusCode, start, isLonger } = await this.#outbound.getFile(address, REVOCATION_LIST_MAX_BYTES, signal);
    if (statusCode !== 200) throw new Error(`the address responded with ${statusCode}`);
    if (isLonger) throw new Error(`the response has more than ${REVOCATION_LIST_MAX_BYTES} bytes`);
    return start;
  }
}

async function ofOperator(address: string, signal: AbortSignal): Promise<Buffer> {
  const { status, body } = await boundedFetch(
    address,
    {},
    { maxBytes: REVOCATION_LIST_MAX_BYTES, patienceMs: TIMESTAMP_PATIENCE_MS, signal },
  );
  if (status !== 200) throw new Error(`the address responded with ${status}`);
  return body;
}

/** Why the list says nothing of this timestamp. Throws if it says that a certificate is revoked. */
async function unfitFor(stamp: Timestamp, bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  const list = parseRevocationList(bytes);
  if (!stamp.links.some(({ issuer }) => issuer && Buffer.from(issuer.subject).equals(list.issuer))) return 'is of another authority';
  if (list.nextUpdate && list.nextUpdate < stamp.time) return 'has ended';
  try {
    await requireNotRevoked(stamp, [list]);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProofError) || error.reason === 'revoked-authority') throw error;
    return 'is not signed by the authority';
  }
}
