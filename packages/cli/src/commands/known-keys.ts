import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { type Check, ProofError, type Report, requireKeys, type Signatory } from '@waybill/proof';
import { messageOf, UsageError } from '../problems.ts';

const HEADER =
  '# Keys with which counterparties signed, as remembered by `waybill receipt verify --known-keys`: log, party, agent, key, first seen';
const FILE_BYTES_MAX = 4_194_304;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface KnownKey {
  origin: string;
  /** Such as `handle:acme`, percent-encoded: the operator chooses this text and the next one, and must not write lines of the file. */
  party: string;
  /** The id of the agent, percent-encoded. */
  agent: string;
  /** 32 bytes in base64. */
  publicKey: string;
  since: string;
}

/**
 * The keys of counterparties that somebody has seen, in a file with a line for each. The first key of a party is believed, and no other one: an operator
 * who makes up a key can make up an agent, and begin a new log, too.
 */
export class KnownKeys {
  readonly #path: string;
  readonly #keys: KnownKey[];
  #isChanged = false;

  constructor(path: string) {
    this.#path = path;
    this.#keys = linesOf(path).map((line) => parseLine(path, line));
  }

  /** Compares the signers of a proof with those that are known, and remembers new ones. `isAccepted`: a changed key is remembered, too. */
  compare({ signers, envelope }: Report, isAccepted: boolean): Check[] {
    const known = envelope ? this.#keys.filter(({ party }) => party === partyOf(envelope.from)) : [];
    const checks = signers.map((signer) => this.#compare(signer, isAccepted));
    if (!envelope || known.length === 0 || signers.some(({ role }) => role === 'sender')) return checks;
    const name = `${envelope.from.displayName} (${envelope.from.id})`;
    const hasAgentSigned = known.some(({ agent }) => agent === encodeURIComponent(envelope.actor.id));
    if (hasAgentSigned && !isAccepted)
      checks.push({
        part: 'key',
        state: 'failed',
        reason: 'not-signed',
        text: `${envelope.actor.name} of ${name} has signed other messages, and not this one. If that is right, give --accept-key.`,
      });
    else checks.push({ part: 'key', state: 'unchecked', text: `${name} has signed other messages, and not this one.` });
    return checks;
  }

  /** Writes atomically: a crash leaves the old file or the new one. */
  save(): void {
    if (!this.#isChanged) return;
    const lines = this.#keys.map(({ origin, party, agent, publicKey, since }) => [origin, party, agent, publicKey, since].join(' '));
    const text = `${[HEADER, ...lines].join('\n')}\n`;
    if (text.length > FILE_BYTES_MAX)
      throw new UsageError(`${this.#path} would become larger than ${FILE_BYTES_MAX} bytes. Use another file.`);
    try {
      writeFileSync(`${this.#path}.new`, text, { mode: 0o600 });
      renameSync(`${this.#path}.new`, this.#path);
    } catch (error) {
      throw new UsageError(`Couldn’t write ${this.#path}: ${messageOf(error)}`);
    }
  }

  #compare(signer: Signatory, isAccepted: boolean): Check {
    const { origin, publicKey, keyId } = signer;
    const { id, displayName } = signer.party;
    const party = partyOf(signer.party);
    const known = this.#keys.filter((key) => serviceOf(key.origin) === serviceOf(origin) && key.party === party);
    const name = `${displayName} (${id})`;
    const same = known.find((key) => key.publicKey === publicKey);
    if (same) return { part: 'key', state: 'verified', text: `${keyId} is a key of ${name} that you have known since ${same.since}.` };
    const before = known.at(-1);
    if (before && !isAccepted)
      return {
        part: 'key',
        state: 'failed',
        reason: 'changed-key',
        text: `The key of ${name} has changed: you have known ${before.publicKey} since ${before.since}, and now it is ${publicKey}. Ask ${name} in another way. If the new key is theirs, give --accept-key.`,
      };
    this.#keys.push({ origin, party, agent: encodeURIComponent(signer.agent), publicKey, since: new Date().toISOString() });
    this.#isChanged = true;
    const what = before ? `The new key of ${name}, ${publicKey}, is` : `New: the key of ${name}, ${publicKey}, is`;
    return { part: 'key', state: 'unchecked', text: `${what} remembered from now on. Compare it with the key that ${name} gave you.` };
  }
}

function partyOf({ kind, id }: Signatory['party']): string {
  return encodeURIComponent(`${kind}:${id}`);
}

/** `waybill.example.com` of `waybill.example.com/log/2`. */
function serviceOf(origin: string): string {
  return origin.replace(/\/.*$/, '');
}

/** A file that is not there is one without keys. */
function linesOf(path: string): string[] {
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > FILE_BYTES_MAX)
      throw new Error(`it is larger than ${FILE_BYTES_MAX} bytes`);
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new UsageError(`Couldn’t read ${path}: ${messageOf(error)}`);
  }
}

function parseLine(path: string, line: string): KnownKey {
  const [origin, party, agent, publicKey, since, ...rest] = line.split(' ');
  if (origin && party && agent !== undefined && publicKey && since && TIME.test(since) && rest.length === 0 && isKey(publicKey))
    return { origin, party, agent, publicKey, since };
  throw new UsageError(`${path} has a line that is not “log party agent key time”: ${line.slice(0, 200)}`);
}

function isKey(text: string): boolean {
  try {
    requireKeys([text]);
    return true;
  } catch (error) {
    if (error instanceof ProofError) return false;
    throw error;
  }
}
