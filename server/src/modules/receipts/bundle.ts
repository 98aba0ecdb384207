import { setImmediate } from 'node:timers/promises';
import {
  BUNDLE_FORMAT,
  type Bundle,
  type BundleAcknowledgement,
  type BundleLog,
  type BundleRenewal,
  type BundleSignature,
  type BundleStatement,
  type BundleTimestamp,
  parseNote,
  parseProof,
  parseVkey,
} from '@waybill/proof';
import { canonicalJson } from '../../contract/canonical-json.ts';
import type { Spend } from '../../contract/cost.ts';
import { formatId } from '../../contract/ids.ts';
import type { CanonicalHasher } from '../../platform/json/canonical-hasher.ts';
import { type ChainPart, chainOf } from '../acknowledgements/acknowledgements.ts';
import type { Location, LogView, PartySlot } from '../log/log.ts';
import { fileStatement } from '../log/statements.ts';
import { sha256Text } from '../messages/envelope.ts';
import type { SentMessage } from '../messages/read-messages.ts';
import { type SignatureParts, signatureOf } from '../signatures/signatures.ts';
import { locate, PENDING, type ProofServices, proofAt } from './proof.ts';
import { provenEnvelope } from './proven-envelope.ts';

/** Verifiers read no more. */
const SUCCESSIONS_MAX = 100;

export interface BundleServices extends ProofServices {
  hasher: CanonicalHasher;
}

/**
 * A party of the message reads the bundle with or without the JSON. Anyone else with a full receipt sees nothing that the parties have
 * signed.
 */
type BundleReader = { partyId: bigint; withJson: boolean; spend: Spend } | 'public';

/**
 * The text of a `.waybill-proof`, which verifies without the service, as far as the log has the message by now. docs/proof.md describes it.
 */
export async function bundleOf(services: BundleServices, sent: SentMessage, reader: BundleReader): Promise<string | typeof PENDING> {
  const location = await locate(services, sent);
  const proof = location === PENDING ? PENDING : await proofAt(services, location);
  if (location === PENDING || proof === PENDING) return PENDING;
  return new BundleMaker(services, sent, reader, await services.transparencyLog.logs()).make(location, proof);
}

class BundleMaker {
  readonly #services: BundleServices;
  readonly #sent: SentMessage;
  readonly #reader: BundleReader;
  readonly #logs: readonly LogView[];
  readonly #signers = new Map<string, BundleLog>();

  constructor(services: BundleServices, sent: SentMessage, reader: BundleReader, logs: readonly LogView[]) {
    this.#services = services;
    this.#sent = sent;
    this.#reader = reader;
    this.#logs = logs;
  }

  async make(location: Location, proof: string): Promise<string> {
    const { message } = this.#sent;
    const log = this.#note(location, proof);
    const places = await this.#services.transparencyLog.locateFiles(this.#sent.senderId, message.id);
    const bundle: Bundle = {
      format: BUNDLE_FORMAT,
      envelope: await provenEnvelope(message, new Set(places.keys())),
      log,
      proof,
      files: await this.#files(places),
      timestamps: await this.#timestamps(location),
      ...(this.#reader !== 'public' && (await this.#ofParties(this.#reader))),
    };
    const [, ...otherLogs] = this.#signers.values();
    const members = Object.entries({ ...bundle, other_logs: otherLogs, successions: this.#successions() });
    // Yields to other work: up to a megabyte of JSON is written as text once more.
    await setImmediate();
    // Empty lists are left out, so that a bundle has one form.
    return canonicalJson(
      Object.fromEntries(members.filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))),
    );
  }

  /** Only the parties see these fields. The signed request contains the JSON. */
  async #ofParties({ partyId, withJson, spend }: Exclude<BundleReader, 'public'>): Promise<Partial<Bundle>> {
    const { database } = this.#services;
    const { senderId, message } = this.#sent;
    const json = withJson ? await this.#json(partyId, spend) : undefined;
    const signature = withJson ? await signatureOf(database, senderId, message.id, message.json) : undefined;
    const made = signature && (await this.#signature(signature));
    const chain = await this.#chain(await chainOf(database, message, partyId));
    return { ...(json !== undefined && { json }), ...(made && { signature: made }), ...chain };
  }

  /**
   * Returns the JSON as it was sent. Messages from before json_bytes_sha256 was recorded have the canonical form, which json_sha256 is of.
   */
  async #json(partyId: bigint, spend: Spend | undefined): Promise<string | undefined> {
    const { json, jsonBytesSha256 } = this.#sent.message;
    if (json === null) return undefined;
    return jsonBytesSha256 ? json : (await this.#services.hasher.canonical(String(partyId), Buffer.from(json), spend)).toString();
  }

  async #files(places: ReadonlyMap<string, Location | undefined>): Promise<NonNullable<Bundle['files']>> {
    const { message } = this.#sent;
    const files: NonNullable<Bundle['files']> = [];
    for (const { id, sha256, sizeBytes } of message.files) {
      const proof = sha256 && (await this.#proofAt(places.get(id)));
      if (!proof) continue;
      const statement = fileStatement({ id, messageId: message.id, sha256, sizeBytes });
      files.push({ id: formatId('file', id), sha256: sha256Text(sha256), statement, proof });
    }
    return files;
  }

  async #signature(parts: SignatureParts): Promise<BundleSignature | undefined> {
    const { key, keyLeaf, revocation, domain, signatureInput, signature, components, body } = parts;
    const proof = await this.#proofOf(keyLeaf);
    const revocationProof = revocation && (await this.#proofOf(revocation.leaf));
    if (proof === undefined) return undefined;
    const domainProof = domain && (await this.#proofOf(domain.leaf));
    const encoded = { signature: signature.toString('base64'), body: body.toString() };
    return {
      key,
      key_proof: proof,
      signature_input: signatureInput,
      components,
      ...encoded,
      ...(revocation && revocationProof !== undefined && { revocation: { statement: revocation.statement, proof: revocationProof } }),
      ...(domain && domainProof !== undefined && { domain: { statement: domain.statement, proof: domainProof } }),
    };
  }

  /** What the log has about the message by now. A link that has no proof yet ends it, so that no number is missing. */
  async #chain(parts: readonly ChainPart[]): Promise<Partial<Bundle>> {
    const handOvers: BundleStatement[] = [];
    const acknowledgements: BundleAcknowledgement[] = [];
    let expiry: BundleStatement | undefined;
    for (const { kind, statement, leaf, signature } of parts) {
      const proof = await this.#proofOf(leaf);
      if (proof === undefined) break;
      const made = signature && (await this.#signature(signature));
      if (kind === 'hand-over') handOvers.push({ statement, proof });
      else if (kind === 'non-delivery') expiry = { statement, proof };
      else acknowledgements.push({ statement, proof, ...(made && { signature: made }) });
    }
    return { hand_overs: handOvers, acknowledgements, ...(expiry && { expiry }) };
  }

  async #timestamps(location: Location): Promise<BundleTimestamp[]> {
    const { transparencyLog } = this.#services;
    const { timestamps } = transparencyLog;
    const first = await timestamps.firstFor(location.log, location.index);
    if (!first) return [];
    const renewals = await timestamps.renewalsOf(first);
    const crls = await timestamps.crlsOf([first, ...renewals.map(({ checkpoint }) => checkpoint)]);
    const tokenOf = ({ token }: { token: Buffer }, lists: Buffer[] = []) => ({
      token: token.toString('base64'),
      ...(lists.length > 0 && { crls: lists.map((one) => one.toString('base64')) }),
    });
    const proofIn = async (stamped: typeof first, place: Location) => {
      const proof = await transparencyLog.proofIn(stamped, place);
      this.#note(place, proof);
      return proof;
    };
    const made: BundleRenewal[] = [];
    for (const [at, { statement, location: place, checkpoint }] of renewals.entries())
      made.push({ statement, proof: await proofIn(checkpoint, place), ...tokenOf(checkpoint, crls[at + 1]) });
    return [{ proof: await proofIn(first, location), ...tokenOf(first, crls[0]), ...(made.length > 0 && { renewals: made }) }];
  }

  /** How the logs of the bundle came to their present keys, for a verifier who trusts a former one. */
  #successions(): string[] {
    const origins = new Set([...this.#signers.values()].map(({ origin }) => origin));
    const keys = this.#logs.filter(({ origin }) => origins.has(origin)).flatMap((log) => log.keys.toReversed());
    return keys.flatMap(({ succession }) => succession ?? []).slice(-SUCCESSIONS_MAX);
  }

  async #proofOf(leaf: PartySlot): Promise<string | undefined> {
    return this.#proofAt(await this.#services.transparencyLog.locate(leaf));
  }

  async #proofAt(location: Location | undefined): Promise<string | undefined> {
    const proof = location ? await proofAt(this.#services, location) : PENDING;
    if (!location || proof === PENDING) return undefined;
    this.#note(location, proof);
    return proof;
  }

  #note({ log: number }: Location, proof: string): BundleLog {
    const view = this.#logs.find((one) => one.number === number);
    const signed = new Set(parseNote(parseProof(proof).checkpoint).signatures.map(({ keyId }) => keyId));
    const key = view?.keys.find(({ vkey }) => signed.has(parseVkey(vkey).keyId));
    if (!view || !key) throw new Error(`no key of log ${number} signed its checkpoint`);
    const signer = { origin: view.origin, vkey: key.vkey };
    this.#signers.set(signer.vkey, signer);
    return signer;
  }
}
