import { jsonHash, newSha256 } from '@waybill/client';
import { BUNDLE_BYTES_MAX, parseBundle, parsePolicy, type Report, type VerifyOptions, verifyBundle } from '@waybill/proof';
import { number } from '../ui/format.ts';
import type { Verification } from './certificate.ts';
import { keysOf } from './keys.ts';
import { showFault, showReport } from './show.ts';
import type { Basis } from './tell.ts';

/* The page for verification from disk: one HTML file (web/build-verifier.ts), which connects to nothing. */

const input = element('files', HTMLInputElement);
const trust = element('trust', HTMLTextAreaElement);
const senderKeys = element('sender-keys', HTMLTextAreaElement);
const recipientKeys = element('recipient-keys', HTMLTextAreaElement);
const authorities = element('authorities', HTMLTextAreaElement);
const drop = element('drop', HTMLElement);
const result = element('result', HTMLElement);
/** What screen readers say by themselves: the verdict, and not the whole report. */
const announcement = element('announcement', HTMLElement);

const CERTIFICATE_BYTES_MAX = 65_536;
/** Larger than any message's JSON, even indented. */
const JSON_BYTES_MAX = 16_777_216;

/** All files so far. Key: name. A message's files can be added after its proof. */
const given = new Map<string, File>();
/** Counts requests, so that the result of an older one is not shown. */
let asked = 0;

input.addEventListener('change', () => add(input.files));
for (const field of [trust, senderKeys, recipientKeys, authorities]) field.addEventListener('input', () => void update());
for (const type of ['dragenter', 'dragover', 'dragleave', 'drop']) {
  document.addEventListener(type, (event) => {
    event.preventDefault();
    drop.classList.toggle('over', type === 'dragenter' || type === 'dragover');
  });
}
document.addEventListener('drop', (event) => add(event.dataTransfer?.files));

function add(files: FileList | null | undefined): void {
  // A second proof replaces the first, and all files that were compared with it.
  if (Array.from(files ?? []).some(isProof)) given.clear();
  for (const file of files ?? []) given.set(file.name, file);
  void update();
}

function isProof({ name }: File): boolean {
  return name.endsWith('.waybill-proof');
}

async function update(): Promise<void> {
  const number = ++asked;
  const files = [...given.values()];
  const proof = files.find(isProof);
  if (!proof) return files.length > 0 ? announce(showFault(result, 'Choose a file that ends with .waybill-proof, too.')) : undefined;
  result.replaceChildren('Verifying…');
  try {
    const others = files.filter((file) => !isProof(file));
    const found = await verified(proof, others);
    if (number === asked) announce(showReport(result, ...found));
  } catch (error) {
    if (number === asked) announce(showFault(result, error instanceof Error ? error.message : String(error)));
  }
}

function announce(verdict: HTMLElement): void {
  announcement.textContent = [...verdict.children].map(({ textContent }) => textContent).join(' ');
}

async function verified(proof: File, others: File[]): Promise<[Report, Basis, Verification]> {
  const bytes = await bytesOf(proof, BUNDLE_BYTES_MAX);
  const jsonSha256 = jsonSha256In(parseBundle(bytes).envelope);
  const files: { name: string; sha256: string }[] = [];
  const tsaCertificates: string[] = [];
  let json: string | undefined;
  for (const file of others) {
    if (/\.(pem|crt|cer)$/.test(file.name)) tsaCertificates.push(await textOf(file, CERTIFICATE_BYTES_MAX));
    else if (file.name.endsWith('.json') && (await hashOfJson(file)) === jsonSha256) json = await textOf(file, JSON_BYTES_MAX);
    else files.push({ name: file.name, sha256: await hashOf(file) });
  }
  const options = trusted();
  const report = await verifyBundle(bytes, { ...options, files, tsaCertificates, json });
  // A file can be there under two names.
  const basis = { comparedFiles: new Set(files.map(({ sha256 }) => sha256)).size, isJsonCompared: json !== undefined };
  return [report, basis, { ...whereAndBy(report, options), at: new Date(), fileSha256: await hashOf(proof), receiptUrl: undefined }];
}

/** Null: the message has no JSON, or the envelope is broken, as its verification will say. */
function jsonSha256In(envelope: string): unknown {
  try {
    return JSON.parse(envelope).json_sha256;
  } catch {
    return null;
  }
}

function whereAndBy(
  { evidence: { place }, signers }: Report,
  { policy }: VerifyOptions,
): Pick<Verification, 'verifier' | 'keys' | 'areKeysPublished'> {
  // From disk, the page has no address. A log has the name of its service.
  const [host = ''] = place?.checkpoint.origin.split('/') ?? [];
  const verifier = location.protocol.startsWith('http') ? location.href.replace(/[?#].*$/, '') : `https://${host}/verify.html`;
  const parties = signers.filter(({ isKnown }) => isKnown).map(({ role, publicKey }) => `${publicKey} (${role})`);
  const logs = place ? keysOf(place, policy === undefined ? [] : parsePolicy(policy).witnesses) : [];
  return { verifier, keys: [...new Set([...logs, ...parties])], areKeysPublished: false };
}

/** Reads the trusted keys. Only a policy has a line with its quorum. */
function trusted(): VerifyOptions {
  const text = trust.value.trim();
  const parties = { senderKeys: wordsIn(senderKeys), recipientKeys: wordsIn(recipientKeys), authorities: wordsIn(authorities) };
  if (/^\s*quorum\s/m.test(text)) return { ...parties, policy: `${text}\n` };
  return { ...parties, vkeys: wordsIn(trust) };
}

function wordsIn({ value }: HTMLTextAreaElement): string[] {
  return value.split(/\s+/).filter((word) => word !== '');
}

async function hashOfJson(file: File): Promise<string | undefined> {
  try {
    return jsonHash(await textOf(file, JSON_BYTES_MAX));
  } catch {
    return undefined;
  }
}

async function hashOf(file: File): Promise<string> {
  const hash = newSha256();
  const reader = file.stream().getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) hash.update(read.value);
  return hash.digest();
}

async function textOf(file: File, most: number): Promise<string> {
  return new TextDecoder().decode(await bytesOf(file, most));
}

async function bytesOf(file: File, most: number): Promise<Uint8Array> {
  if (file.size > most) throw new Error(`${file.name} is larger than ${number(most)} bytes.`);
  return new Uint8Array(await file.arrayBuffer());
}

function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no ${id}.`);
  return found;
}
