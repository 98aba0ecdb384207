import {
  BUNDLE_BYTES_MAX,
  type Bundle,
  type BundleToken,
  CRL_BYTES_MAX,
  CRLS_MAX,
  extendBundle,
  formatBundle,
  newNonce,
  ProofError,
  parseBundle,
  parseRevocationList,
  type Timestamp,
  TOKEN_BYTES_MAX,
  timestampRequest,
  tokenIn,
  verifyTimestamp,
} from '@waybill/proof';
import type { Call } from '../command.ts';
import { visible } from '../output.ts';
import { UsageError } from '../problems.ts';
import { bytesIn, checkLines, isTrustGiven, saveFile, verifyProofOf } from './proof-file.ts';

const PATIENCE_MS = 20_000;

/** Asks for a newer proof of the message, or with --tsa for a timestamp of the file itself, and writes the file with what it adds. */
export async function renewFile(call: Call, path: string, newerProof: (messageId: string) => Promise<string>): Promise<void> {
  const { options, output, signal } = call;
  const held = readBundle(bytesIn(path, BUNDLE_BYTES_MAX), path);
  const tsa = options.text('tsa');
  if (tsa === undefined && !isTrustGiven(call))
    throw new UsageError('Give the key of the log that you trust (--vkey or --policy): else anybody could add to your proof.');
  let renewed: Bundle;
  try {
    if (tsa === undefined) {
      const proof = await newerProof(idOf(held));
      renewed = extendBundle(held, readBundle(proof, 'What the service has given'), { isOfParty: options.text('receipt') === undefined });
    } else renewed = { ...held, renewals: [...(held.renewals ?? []), { hash: 'sha512', ...(await stampOf(held, tsa, signal)) }] };
  } catch (error) {
    throw error instanceof ProofError ? new UsageError(`Not renewed: ${error.message}`) : error;
  }
  const text = formatBundle(renewed);
  const { checks, verdict } = await verifyProofOf(call, text, { isTlogProof: false });
  const failed = checks.find(({ state }) => state === 'failed');
  if (failed) throw new UsageError(`Not renewed: ${failed.text}`);
  const file = options.text('output') ?? path;
  await saveFile(file, text);
  const times = checks.filter(({ part }) => part === 'time');
  output.result({ file, verdict, checks }, () => [...checkLines(output, times), `Saved ${visible(file)}`].join('\n'));
}

function readBundle(given: string | Uint8Array, what: string): Bundle {
  try {
    return parseBundle(given);
  } catch (error) {
    throw error instanceof ProofError ? new UsageError(`${visible(what)} is not a .waybill-proof: ${error.message}`) : error;
  }
}

function idOf({ envelope }: Bundle): string {
  const { id }: { id?: unknown } = JSON.parse(envelope);
  if (typeof id !== 'string' || !/^msg_\w{1,64}$/.test(id)) throw new UsageError('The file does not name its message.');
  return id;
}

async function stampOf(bundle: Bundle, url: string, signal: AbortSignal): Promise<BundleToken> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError('--tsa must be the address of a timestamp authority (RFC 3161).');
  const [bytes, nonce] = [new TextEncoder().encode(formatBundle(bundle)), newNonce()];
  const headers = { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' };
  const body = await timestampRequest(bytes, 'SHA-512', nonce);
  const token = tokenIn(await responseOf(url, { method: 'POST', headers, body }, TOKEN_BYTES_MAX, signal), nonce);
  const lists = await listsFor(await verifyTimestamp(token, bytes), signal);
  return { token: base64(token), ...(lists.length > 0 && { crls: lists.map(base64) }) };
}

/** The lists of revoked certificates, as far as they can be had now. */
async function listsFor({ links }: Timestamp, signal: AbortSignal): Promise<Uint8Array[]> {
  const lists: Uint8Array[] = [];
  for (const { certificate } of links.slice(0, CRLS_MAX)) {
    const [address] = certificate.revocationUrls;
    try {
      const list = address && (await responseOf(address, {}, CRL_BYTES_MAX, signal));
      if (list && parseRevocationList(list)) lists.push(list);
    } catch (error) {
      if (signal.aborted || !(error instanceof UsageError || error instanceof ProofError)) throw error;
    }
  }
  return lists;
}

async function responseOf(url: string, init: RequestInit, most: number, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const response = await fetch(url, { ...init, redirect: 'manual', signal: patience });
    if (response.status !== 200) throw new Error(`it responded with ${response.status}`);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > most) throw new Error(`the response has more than ${most} bytes`);
      chunks.push(chunk);
    }
    return new Uint8Array(Buffer.concat(chunks));
  } catch (error) {
    if (signal.aborted) throw error;
    throw new UsageError(`${url} gave nothing to use: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
