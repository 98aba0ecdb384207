import { jsonHash } from '@waybill/client';
import { type Bundle, type BundleAcknowledgement, parseBundle } from './bundle.ts';
import { fromBase64, sha256, toHex, utf8 } from './bytes.ts';
import { requireEd25519 } from './ed25519.ts';
import { ProofError } from './errors.ts';
import { isAmbiguous } from './json-ambiguity.ts';
import { LEAF, leafOf, leafOfStatement } from './leaf.ts';
import { formatVkey } from './note.ts';
import type { Policy } from './policy.ts';
import { type Check, type Part, placeText, type TrustOptions, trustOf, type Verdict, verdictOf, witnessCheck } from './report.ts';
import { verifyAcknowledger, verifySender } from './signed-request.ts';
import { type EnvelopeStatement, isSameParty, nameOf, parseAcknowledgement, parseEnvelope, parseFileStatement } from './statements.ts';
import { isInTime, verifyTimestamp } from './timestamp.ts';
import { verifyProof } from './tlog-proof.ts';
import { verifyLogged } from './verify-logged.ts';
import { type Certificate, parseCertificate } from './x509.ts';

export interface VerifyOptions extends TrustOptions {
  /** JSON that must be that of the message. */
  json?: string | undefined;
  /** Files that must be among those of the message. `sha256` is in the form of the API, `sha256:…`. */
  files?: readonly { name: string; sha256: string }[] | undefined;
  /** Certificates in PEM: authorities for timestamps, or their signers. */
  tsaCertificates?: readonly string[] | undefined;
}

export interface Report {
  verdict: Verdict;
  contentHash: string;
  /** The envelope of the proof. Undefined: it can't be read. */
  envelope: EnvelopeStatement | undefined;
  checks: Check[];
}

/** Verifies a `.waybill-proof` offline. Problems are in the report. Throws a ProofError if the file is no bundle, or the options can't be used. */
export async function verifyBundle(given: string | Uint8Array, options: VerifyOptions = {}): Promise<Report> {
  await requireEd25519();
  const bundle = parseBundle(given);
  const verification = new Verification(bundle, options);
  return verification.report();
}

class Verification {
  readonly #bundle: Bundle;
  readonly #options: VerifyOptions;
  readonly #policy: Policy;
  readonly #isTrusted: boolean;
  readonly #authorities: Certificate[];
  readonly #contentHash: Uint8Array;
  readonly #checks: Check[] = [];

  constructor(bundle: Bundle, options: VerifyOptions) {
    this.#bundle = bundle;
    this.#options = options;
    const trust = trustOf(
      options,
      [bundle.log, ...(bundle.other_logs ?? [])].map(({ vkey }) => vkey),
    );
    this.#policy = trust.policy;
    this.#isTrusted = trust.isTrusted;
    this.#authorities = (options.tsaCertificates ?? []).map((pem) => parseCertificate(pem));
    this.#contentHash = sha256(utf8(bundle.envelope));
  }

  async report(): Promise<Report> {
    const envelope = await this.#check(
      'content',
      async () => parseEnvelope(this.#bundle.envelope),
      ({ id, from, to, receivedAt }) => {
        return `Message ${id} from ${nameOf(from)} to ${nameOf(to)}, received ${receivedAt}.`;
      },
    );
    await this.#inclusion();
    if (envelope) {
      this.#json(envelope);
      await this.#files(envelope);
      await this.#sender(envelope);
      for (const one of this.#bundle.acknowledgements ?? []) await this.#acknowledgement(one, envelope);
      for (const one of this.#bundle.timestamps ?? []) await this.#timestamp(one, envelope);
    }
    return {
      verdict: verdictOf(this.#checks, this.#isTrusted),
      contentHash: `sha256:${toHex(this.#contentHash)}`,
      envelope,
      checks: this.#checks,
    };
  }

  async #inclusion(): Promise<void> {
    const { log, proof } = this.#bundle;
    const leaf = leafOf(LEAF.message, this.#contentHash);
    const verified = await this.#check('inclusion', () => verifyProof(proof, leaf, this.#policy), placeText);
    if (!verified) return;
    const isNamed = formatVkey(verified.log) === log.vkey;
    const signed = this.#isTrusted
      ? `The checkpoint is signed by ${log.vkey}.`
      : `You named no key that you trust. The file names ${log.vkey}: anybody can make such a file with a key of their own.`;
    this.#add('log', isNamed, isNamed ? signed : 'The log is another than the file names.');
    const { state, text } = witnessCheck(verified);
    if (state === 'unchecked') this.#checks.push({ part: 'witnesses', state, text });
    else this.#add('witnesses', state === 'verified', text);
  }

  #json(envelope: EnvelopeStatement): void {
    const { json } = this.#bundle;
    if (json !== undefined) {
      const { jsonSha256, jsonBytesSha256 } = envelope;
      // The proof of an older message has the canonical form. For others, both hashes are compared: two readers must not see two values.
      const isHashed = hashOf(json) === (jsonBytesSha256 ?? jsonSha256);
      const isSame = isHashed && (jsonBytesSha256 === null || likenessOf(json, envelope) === 'same text');
      this.#add('json', isSame, `The JSON in the file is ${isSame ? '' : 'not '}that of the message.`);
    } else if (envelope.jsonSha256 !== null && this.#options.json === undefined)
      this.#checks.push({ part: 'json', state: 'unchecked', text: 'The file has not the JSON, only its hash.' });
    if (this.#options.json !== undefined) this.#givenJson(this.#options.json, envelope);
  }

  #givenJson(json: string, envelope: EnvelopeStatement): void {
    const likeness = likenessOf(json, envelope);
    if (likeness === 'no JSON') throw new ProofError('What you gave is not JSON.');
    if (likeness === 'same value' && envelope.jsonBytesSha256 !== null) {
      // Its reader may have read another value than the message has.
      if (isAmbiguous(json))
        this.#add(
          'json',
          false,
          'The JSON that you gave is not the text of the message, and has repeated keys, or numbers that a double rounds: others may read another value from it.',
        );
      else
        this.#checks.push({
          part: 'json',
          state: 'unchecked',
          text: 'The JSON that you gave has the value of the message’s JSON (RFC 8785), but not its bytes: spaces, order of keys, digits or repeated keys differ.',
        });
    } else this.#add('json', likeness !== 'other', `The JSON that you gave is ${likeness === 'other' ? 'not ' : ''}that of the message.`);
  }

  async #files(envelope: EnvelopeStatement): Promise<void> {
    const hashes = new Map(envelope.files.map(({ id, sha256: hash }) => [id, hash]));
    for (const { id, sha256: hash, statement, proof } of this.#bundle.files ?? []) {
      const named = envelope.files.find((file) => file.id === id);
      await this.#check(
        'file',
        async () => {
          const said = parseFileStatement(statement);
          const isSame = said.file === id && said.sha256 === hash && said.message === envelope.id && said.sizeBytes === named?.sizeBytes;
          if (!isSame || hashes.get(id) !== null)
            throw new ProofError('The statement is not of a file whose hash the envelope leaves open.');
          await verifyLogged(proof, leafOfStatement(LEAF.file, statement), this.#policy);
          hashes.set(id, hash);
        },
        () => `${named?.filename}: the hash, computed after delivery, is in the log.`,
      );
    }
    for (const { name, sha256: hash } of this.#options.files ?? []) {
      const [id] = [...hashes].find(([, known]) => known === hash) ?? [];
      this.#add(
        'file',
        id !== undefined,
        id === undefined ? `${name} is not a file of the message.` : `${name} is the file ${id} of the message.`,
      );
    }
    for (const { id, filename } of envelope.files)
      if (hashes.get(id) === null)
        this.#checks.push({ part: 'file', state: 'unchecked', text: `${filename}: the proof has no hash of this large file.` });
  }

  async #sender(envelope: EnvelopeStatement): Promise<void> {
    const { signature } = this.#bundle;
    if (signature)
      await this.#check(
        'signature',
        () => verifySender(signature, envelope, this.#policy),
        (key) => `The request is signed by ${envelope.actor.name} with ${key}.`,
      );
  }

  async #acknowledgement({ statement, proof, signature }: BundleAcknowledgement, envelope: EnvelopeStatement): Promise<void> {
    const said = await this.#check(
      'acknowledgement',
      async () => {
        const one = parseAcknowledgement(statement);
        if (one.message !== envelope.id || one.contentHash !== `sha256:${toHex(this.#contentHash)}`)
          throw new ProofError('The acknowledgement is of another message.');
        // A mailbox or a domain may have joined a business since.
        if (envelope.to.kind === 'handle' && !isSameParty(one.party, envelope.to))
          throw new ProofError('Somebody else than the recipient acknowledged.');
        await verifyLogged(proof, leafOfStatement(LEAF.acknowledgement, statement), this.#policy);
        return { ...one, keyId: signature && (await verifyAcknowledger(signature, one, this.#policy)) };
      },
      ({ status, at, party, actor, keyId, reason }) =>
        `${status[0]?.toUpperCase()}${status.slice(1)} by ${actor.name} of ${nameOf(party)} at ${at}${reason === null ? '' : ` (“${reason}”)`}, ${keyId ? `signed with ${keyId}` : 'not signed: the service’s word'}.`,
    );
    if (said && !isSameParty(said.party, envelope.to))
      this.#checks.push({
        part: 'acknowledgement',
        state: 'unchecked',
        text: `That ${nameOf(said.party)} is ${nameOf(envelope.to)} is the service’s word.`,
      });
  }

  async #timestamp({ proof, token }: { proof: string; token: string }, envelope: EnvelopeStatement): Promise<void> {
    await this.#check(
      'time',
      async () => {
        const { body } = await verifyLogged(proof, leafOf(LEAF.message, this.#contentHash), this.#policy);
        const stamp = await verifyTimestamp(fromBase64(token, 'The timestamp'), utf8(body), this.#authorities);
        if (!isInTime(stamp, envelope.receivedAt))
          throw new ProofError(`The timestamp is of ${stamp.time.toISOString()}, before the message was received.`);
        return stamp;
      },
      ({ time, authority, isTrusted }) =>
        isTrusted
          ? `In the log before ${time.toISOString()}, signed by ${authority}, whom you trust.`
          : `${authority} says that it was in the log before ${time.toISOString()}. You named no certificate by which to trust this authority.`,
      ({ isTrusted }) => isTrusted,
    );
  }

  async #check<T>(
    part: Part,
    run: () => Promise<T>,
    tell: (result: T) => string,
    isProven: (result: T) => boolean = () => true,
  ): Promise<T | undefined> {
    try {
      const result = await run();
      if (isProven(result)) this.#add(part, true, tell(result));
      else this.#checks.push({ part, state: 'unchecked', text: tell(result) });
      return result;
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      this.#add(part, false, error.message);
      return undefined;
    }
  }

  /** Without a trusted key, no line is verified. */
  #add(part: Part, isGood: boolean, text: string): void {
    this.#checks.push({ part, state: !isGood ? 'failed' : this.#isTrusted ? 'verified' : 'unchecked', text });
  }
}

type Likeness = 'same text' | 'same value' | 'other' | 'no JSON';

/** How JSON compares with that of the message. Space around it does not count. */
function likenessOf(json: string, { jsonSha256, jsonBytesSha256 }: EnvelopeStatement): Likeness {
  try {
    if (jsonHash(json) !== jsonSha256) return 'other';
  } catch {
    return 'no JSON';
  }
  return hashOf(json.trim()) === jsonBytesSha256 ? 'same text' : 'same value';
}

function hashOf(text: string): string {
  return `sha256:${toHex(sha256(utf8(text)))}`;
}
