import { setImmediate } from 'node:timers/promises';
import {
  BUNDLE_FORMAT,
  type Bundle,
  type BundleAcknowledgement,
  type BundleLog,
  type BundleSignature,
  parseNote,
  parseProof,
  parseVkey,
} from '@waybill/proof';
import { canonicalJson } from '../../contract/canonical-json.ts';
import type { Spend } from '../../contract/cost.ts';
import { formatId } from '../../contract/ids.ts';
import type { CanonicalHasher } from '../../platform/json/canonical-hasher.ts';
import { type AcknowledgementParts, acknowledgementsOf } from '../acknowledgements/acknowledgements.ts';
import type { Location, LogView, PartySlot } from '../log/log.ts';
import { fileStatement } from '../log/statements.ts';
import { sha256Text } from '../messages/envelope.ts';
import type { SentMessage } from '../messages/read-messages.ts';
import { type SignatureParts, signatureOf } from '../signatures/signatures.ts';
import { locate, PENDING, type ProofServices, proofAt } from './proof.ts';
import { provenEnvelope } from './proven-envelope.ts';

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
    const members = Object.entries({ ...bundle, other_logs: otherLogs });
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
    const acknowledgements: BundleAcknowledgement[] = [];
    for (const parts of await acknowledgementsOf(database, message.id, partyId)) {
      const acknowledgement = await this.#acknowledgement(parts);
      if (acknowledgement) acknowledgements.push(acknowledgement);
    }
    return { ...(json !== undefined && { json }), ...(made && { signature: made }), acknowledgements };
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
    const { key, keyLeaf, signatureInput, signature, components, body } = parts;
    const proof = await this.#proofOf(keyLeaf);
    if (proof === undefined) return undefined;
    const encoded = { signature: signature.toString('base64'), body: body.toString() };
    return { key, key_proof: proof, signature_input: signatureInput, components, ...encoded };
  }

  async #acknowledgement({ statement, leaf, signature }: AcknowledgementParts): Promise<BundleAcknowledgement | undefined> {
    const proof = await this.#proofOf(leaf);
    const made = signature && (await this.#signature(signature));
    return proof === undefined ? undefined : { statement, proof, ...(made && { signature: made }) };
  }

  async #timestamps(location: Location): Promise<NonNullable<Bundle['timestamps']>> {
    const stamped = await this.#services.transparencyLog.timestampedCheckpointFor(location.log, location.index);
    if (!stamped) return [];
    const proof = await this.#services.transparencyLog.proofIn(stamped, location);
    this.#note(location, proof);
    return [{ proof, token: stamped.token.toString('base64') }];
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
