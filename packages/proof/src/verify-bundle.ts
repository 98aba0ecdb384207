import { canonicalJson } from '@waybill/client';
import { type Bundle, type BundleSignature, parseBundle } from './bundle.ts';
import { hashOf } from './bytes.ts';
import { requireEd25519 } from './ed25519.ts';
import { type Evidence, evidentSignature } from './evidence.ts';
import { LEAF, leafOf } from './leaf.ts';
import { formatVkey } from './note.ts';
import type { Policy } from './policy.ts';
import { addWitnesses, type Check, Findings, placeText, type TrustOptions, trustOf, type Verdict, verdictOf } from './report.ts';
import { verifySender } from './signed-message.ts';
import type { VerifiedRequest } from './signed-request.ts';
import { type EnvelopeStatement, nameOf, parseEnvelope } from './statements.ts';
import { withSuccessors } from './successions.ts';
import { type VerifiedProof, verifyProof } from './tlog-proof.ts';
import { checkChain } from './verify-chain.ts';
import { checkFiles, checkJson } from './verify-content.ts';
import { checkKey, requireKeys, type Signatory } from './verify-keys.ts';
import { checkTime } from './verify-time.ts';
import { type Certificate, parseCertificate } from './x509.ts';

export type { Signatory } from './verify-keys.ts';

export interface VerifyOptions extends TrustOptions {
  /** JSON that must be that of the message. */
  json?: string | undefined;
  /** Files that must be among those of the message. `sha256` is in the form of the API, `sha256:…`. */
  files?: readonly { name: string; sha256: string }[] | undefined;
  /** Certificates in PEM: authorities for timestamps, or their signers. */
  tsaCertificates?: readonly string[] | undefined;
  /** Public keys in base64, or ids `sgk_…`: the message must be signed with one of them. */
  senderKeys?: readonly string[] | undefined;
  /** The same for acknowledgements. */
  recipientKeys?: readonly string[] | undefined;
  /** The time of verification: that of the clock by default. */
  now?: Date | undefined;
  /** Names of the service beside that of the log's origin: a host, with its port if it is not the default one. */
  authorities?: readonly string[] | undefined;
}

export interface Report {
  verdict: Verdict;
  contentHash: string;
  /** The envelope of the proof. Undefined: it can't be read. */
  envelope: EnvelopeStatement | undefined;
  checks: Check[];
  /** Who signed, as far as the signatures hold. */
  signers: Signatory[];
  evidence: Evidence;
}

/** Verifies a `.waybill-proof` offline. Problems are in the report. Throws a ProofError if the file is no bundle, or the options can't be used. */
export async function verifyBundle(given: string | Uint8Array, options: VerifyOptions = {}): Promise<Report> {
  await requireEd25519();
  requireKeys([...(options.senderKeys ?? []), ...(options.recipientKeys ?? [])]);
  return new Verification(parseBundle(given), options).report();
}

class Verification {
  readonly #bundle: Bundle;
  readonly #options: VerifyOptions;
  readonly #authorities: readonly string[];
  readonly #certificates: Certificate[];
  readonly #contentHash: string;
  readonly #findings: Findings;
  #policy: Policy;

  constructor(bundle: Bundle, options: VerifyOptions) {
    this.#bundle = bundle;
    this.#options = options;
    const inFile = [bundle.log, ...(bundle.other_logs ?? [])].map(({ vkey }) => vkey);
    const { policy, isTrusted } = trustOf(options, inFile);
    this.#findings = new Findings(isTrusted);
    this.#certificates = (options.tsaCertificates ?? []).map((pem) => parseCertificate(pem));
    this.#contentHash = hashOf(bundle.envelope);
    this.#authorities = [hostOf(bundle.log.origin), ...(options.authorities ?? [])].map((name) => name.toLowerCase());
    // Who trusts two services does not trust one to say what happened at the other.
    const logs = policy.logs.filter(({ key }) => this.#authorities.includes(hostOf(key.name).toLowerCase()));
    this.#policy = { ...policy, logs, shown: new Map() };
  }

  async report(): Promise<Report> {
    const findings = this.#findings;
    const envelope = await findings.check(
      'content',
      async () => parseEnvelope(this.#bundle.envelope),
      ({ id, from, to, receivedAt }) => `Message ${id} from ${nameOf(from)} to ${nameOf(to)}, received ${receivedAt}.`,
    );
    await this.#successions();
    const place = await this.#inclusion();
    const signers = envelope ? await this.#contents(envelope, place) : [];
    const { checks, isTrusted, evidence } = findings;
    return { verdict: verdictOf(checks, isTrusted), contentHash: this.#contentHash, envelope, checks, signers, evidence };
  }

  async #contents(envelope: EnvelopeStatement, place: VerifiedProof | undefined): Promise<Signatory[]> {
    const [bundle, findings, policy, authorities] = [this.#bundle, this.#findings, this.#policy, this.#authorities];
    const { json, files = [] } = this.#options;
    checkJson(findings, bundle, json, envelope);
    const hashes = await checkFiles(findings, bundle, files, envelope, policy);
    const signers: Signatory[] = [];
    const { signature } = bundle;
    const request =
      signature &&
      (await findings.check(
        'signature',
        () => verifySender(signature, envelope, hashes, { place, authorities }, policy),
        (signed) => tellSignature(signed, envelope),
        ({ notCovered }) => notCovered.length === 0,
      ));
    findings.evidence.sender = evidentSignature(request);
    signers.push(...(await this.#key('sender', signature, request)));
    const signed = await checkChain({ findings, envelope, contentHash: this.#contentHash, policy, authorities, message: place }, bundle);
    const told = new Set<string>();
    for (const { statement, signature: made, request: found } of signed) {
      // Several acknowledgements with one key have the lines about it once.
      const about = made && canonicalJson([made.key, made.revocation?.statement, made.domain]);
      if (about !== undefined && told.has(about)) continue;
      if (about !== undefined) told.add(about);
      signers.push(...(await this.#key('recipient', made, found, `“${statement.status}”`)));
    }
    await checkTime({ findings, envelope, policy, certificates: this.#certificates, now: this.#options.now ?? new Date() }, bundle, place);
    return signers;
  }

  /** The keys of a log that you trust vouch for those that came after them. */
  async #successions(): Promise<void> {
    const { successions = [] } = this.#bundle;
    if (successions.length === 0) return;
    const known = this.#policy.logs.length;
    const policy = await this.#findings.check(
      'log',
      () => withSuccessors(this.#policy, successions),
      ({ logs }) =>
        logs.length > known
          ? `Keys of the log that an older key named as its successor: ${logs.length - known}.`
          : 'The file has notes by which keys of the log named their successors. They lead to no key that you have not named.',
    );
    if (policy) this.#policy = policy;
  }

  async #inclusion(): Promise<VerifiedProof | undefined> {
    const { log, proof } = this.#bundle;
    const findings = this.#findings;
    const leaf = leafOf(LEAF.message, this.#contentHash);
    const verified = await findings.check('inclusion', () => verifyProof(proof, leaf, this.#policy), placeText);
    if (!verified) return undefined;
    const signer = formatVkey(verified.log);
    // The log may have got another key since. Each that you trust is good.
    if (verified.checkpoint.origin !== log.origin) findings.failed('log', 'another-log', 'The log is another than the file names.');
    else if (findings.isTrusted) findings.verified('log', `The checkpoint is signed by ${signer}.`);
    else
      findings.unchecked(
        'log',
        `You named no key that you trust. The file names ${log.vkey}: anybody can make such a file with a key of their own.`,
      );
    addWitnesses(findings, verified);
    findings.evidence.place = verified;
    return verified;
  }

  /** Keys that the caller gave are asked for also where nothing is signed: else, an operator could leave the signature out. */
  async #key(
    role: Signatory['role'],
    signature: BundleSignature | undefined,
    request: VerifiedRequest | undefined,
    what = 'the message',
  ): Promise<Signatory[]> {
    const known = (role === 'sender' ? this.#options.senderKeys : this.#options.recipientKeys) ?? [];
    if (signature && request) return [await checkKey(this.#findings, { role, signature, request }, known, this.#policy)];
    if (!signature && known.length > 0)
      this.#findings.failed('key', 'not-signed', `You gave a key of the ${role}, who has not signed ${what}.`);
    return [];
  }
}

/** The service that has a log: `waybill.example.com` of `waybill.example.com/log/2`. */
function hostOf(origin: string): string {
  return origin.replace(/\/.*$/s, '');
}

function tellSignature({ key, notCovered }: VerifiedRequest, { actor, files }: EnvelopeStatement): string {
  const signed = `The request is signed by ${actor.name} with ${key.id}.`;
  if (notCovered.length > 0) return `${signed} Not covered: ${notCovered.join(', ')}.`;
  return `${signed} It covers the service, the recipient, the content${files.length > 0 ? ', the bytes of the files' : ''}, and a nonce.`;
}
