import { jsonHash, newSha256 } from '@waybill/client';
import { BUNDLE_BYTES_MAX, parseBundle, type Report, type VerifyOptions, verifyBundle } from '@waybill/proof';
import { number } from '../ui/format.ts';
import { showFault, showReport } from './show.ts';

/* The page for verification from disk: one HTML file (web/build-verifier.ts), which connects to nothing. */

const input = element('files', HTMLInputElement);
const trust = element('trust', HTMLTextAreaElement);
const drop = element('drop', HTMLElement);
const result = element('result', HTMLElement);

const CERTIFICATE_BYTES_MAX = 65_536;
/** Larger than any message's JSON, even indented. */
const JSON_BYTES_MAX = 16_777_216;

/** All files so far. Key: name. A message's files can be added after its proof. */
const given = new Map<string, File>();
/** Counts requests, so that the result of an older one is not shown. */
let asked = 0;

input.addEventListener('change', () => add(input.files));
trust.addEventListener('input', () => void update());
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
  if (!proof) return files.length > 0 ? showFault(result, 'Choose a file that ends with .waybill-proof, too.') : undefined;
  result.replaceChildren('Verifying…');
  try {
    const report = await reportOf(
      proof,
      files.filter((file) => !isProof(file)),
    );
    if (number === asked) showReport(result, report);
  } catch (error) {
    if (number === asked) showFault(result, error instanceof Error ? error.message : String(error));
  }
}

async function reportOf(proof: File, others: File[]): Promise<Report> {
  const bytes = await bytesOf(proof, BUNDLE_BYTES_MAX);
  const { json_sha256 }: { json_sha256: string | null } = JSON.parse(parseBundle(bytes).envelope);
  const files: { name: string; sha256: string }[] = [];
  const tsaCertificates: string[] = [];
  let json: string | undefined;
  for (const file of others) {
    if (/\.(pem|crt|cer)$/.test(file.name)) tsaCertificates.push(await textOf(file, CERTIFICATE_BYTES_MAX));
    else if (file.name.endsWith('.json') && (await hashOfJson(file)) === json_sha256) json = await textOf(file, JSON_BYTES_MAX);
    else files.push({ name: file.name, sha256: await hashOf(file) });
  }
  return verifyBundle(bytes, { ...trusted(), files, tsaCertificates, json });
}

/** Reads the trusted keys. Only a policy has a line with its quorum. */
function trusted(): VerifyOptions {
  const text = trust.value.trim();
  if (/^\s*quorum\s/m.test(text)) return { policy: `${text}\n` };
  return { vkeys: text.split(/\s+/).filter((vkey) => vkey !== '') };
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
