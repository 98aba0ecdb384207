import { checkReceipt, Waybill, WaybillError } from '@waybill/client';
import {
  type AcceptedCheckpoint,
  addWitnesses,
  BUNDLE_BYTES_MAX,
  type Check,
  Findings,
  formatVkey,
  type InclusionPromise,
  isPromise,
  LEAF,
  leafOf,
  ProofError,
  type TrustOptions,
  trustOf,
  type VerifiedProof,
  verifyPromise,
  verifyProof,
} from '@waybill/proof';
import { findLeaf, servedCheckpoint } from '../audit/leaf-search.ts';
import { withKeysNamedAt } from '../audit/log-keys.ts';
import { LogSource } from '../audit/log-source.ts';
import { LogIsWrong } from '../audit/verdicts.ts';
import type { Call } from '../command.ts';
import { visible, visibleLines } from '../output.ts';
import { CheckFailed, TryAgain, UsageError } from '../problems.ts';
import { addressOf, serviceUrl } from './log.ts';
import { bytesIn, checkLines, conclude, trustIn } from './proof-file.ts';

/** A larger log is not read whole. */
const LEAVES_READ_MAX = 50_000_000;
const REQUEST_PATIENCE_MS = 30_000;
const PROOF_PATIENCE_MS = 5_000;
/** The clocks of the service and of this machine may differ. */
const CLOCK_SKEW_MS = 60_000;

interface PromiseFile {
  promise: string;
  /** The message in the response to the send. Undefined if the file is the promise alone. */
  message: Parameters<typeof checkReceipt>[0] | undefined;
}

/** What a log shows of a promise. */
interface Shown {
  verdict: 'kept' | 'not yet due' | 'overdue' | 'broken';
  checks: Check[];
  sentence: string;
  /** Of a broken promise: what convicts the operator. */
  evidence?: { promise: string; checkpoint: string; leaves: number; read_at: string };
}

/** Reads the response to a send, an outcome of a batch request, or the promise alone. Undefined: the file is something else. */
export function promiseIn(path: string): PromiseFile | undefined {
  const text = bytesIn(path, BUNDLE_BYTES_MAX).toString('utf8');
  if (isPromise(text)) return { promise: text, message: undefined };
  try {
    const read = JSON.parse(text);
    return typeof read?.promise === 'string' ? { promise: read.promise, message: read.message ?? read } : undefined;
  } catch {
    return undefined;
  }
}

/** Verifies that a log which the caller trusts has made the promise, and with `--log`, whether it was kept. */
export async function verifyPromiseFile(call: Call, { promise: text, message }: PromiseFile): Promise<void> {
  const { options, output } = call;
  const { promise, checks, verdict, trust } = await verified(call, text);
  if (message) checks.push(contentCheck(promise, message));
  const { contentHash: content_hash, ...terms } = promise;
  const found = { promise: { content_hash, ...terms }, checks };
  const isFailed = checks.some(({ state }) => state === 'failed');
  if (isFailed || verdict !== 'verified') return conclude(call, { ...found, verdict: isFailed ? 'failed' : verdict });
  const log = options.text('log');
  if (log === undefined) {
    const sentence = 'The promise is genuine, and was not compared with the log. Whether it was kept, the log shows: --log <url>';
    output.result({ ...found, verdict: 'not compared', ok: false }, () =>
      [...checkLines(output, checks), output.paint('yellow', sentence)].join('\n'),
    );
    throw new TryAgain();
  }
  try {
    const shown = await compared(call, { promise, text, message, trust }, log);
    const all = [...checks, ...shown.checks];
    if (shown.verdict !== 'broken' && all.some(({ state }) => state === 'failed'))
      conclude(call, { ...found, checks: all, verdict: 'failed' });
    else report(call, { ...found, checks: all }, shown);
  } catch (error) {
    if (!(error instanceof LogIsWrong)) throw error;
    checks.push({ part: 'log', state: 'failed', reason: 'broken-log', text: `The log is wrong: ${error.message}.` });
    conclude(call, { ...found, verdict: 'failed' });
  }
}

/** With a service to ask, also the keys that its log named as successors of those that are trusted. */
async function trustWithSuccessors(call: Call): Promise<TrustOptions> {
  const given = trustIn(call);
  const log = call.options.text('log');
  const known = trustOf(given, []).policy.logs.map(({ key }) => key);
  if (log === undefined || known.length === 0) return given;
  const keys = await withKeysNamedAt(serviceUrl(log), known, REQUEST_PATIENCE_MS, call.signal);
  const named = keys.map(formatVkey).filter((vkey) => !known.some((one) => formatVkey(one) === vkey));
  return { ...given, vkeys: [...(given.vkeys ?? []), ...named] };
}

async function verified(call: Call, text: string) {
  try {
    const trust = await trustWithSuccessors(call);
    return { ...(await verifyPromise(text, trust)), trust };
  } catch (error) {
    throw error instanceof ProofError ? new UsageError(error.message) : error;
  }
}

function contentCheck({ contentHash }: InclusionPromise, message: NonNullable<PromiseFile['message']>): Check {
  const content = contentOf(message);
  if (content === 'unknown') throw new UsageError('The file is not the response to a send: it has no whole message beside the promise.');
  if (message.content_hash !== contentHash)
    return { part: 'content', state: 'failed', reason: 'another-message', text: 'The promise is of another message.' };
  if (content === 'differs')
    return {
      part: 'content',
      state: 'failed',
      reason: 'another-content',
      text: 'The content_hash of the message is not that of what it says.',
    };
  return { part: 'content', state: 'verified', text: `The promise is of ${message.id}.` };
}

function contentOf(message: NonNullable<PromiseFile['message']>): ReturnType<typeof checkReceipt>['content'] {
  try {
    return checkReceipt(message).content;
  } catch {
    // The members are not those of a message.
    return 'unknown';
  }
}

function report({ output }: Call, found: { checks: Check[] }, { verdict, sentence, evidence }: Shown): void {
  const colour = verdict === 'broken' ? 'red' : verdict === 'kept' ? 'green' : 'yellow';
  const texts = evidence ? ['', evidence.promise, evidence.checkpoint].map(visibleLines) : [];
  output.result({ ...found, verdict, ok: verdict === 'kept', ...(evidence && { conviction: sentence, evidence }) }, () =>
    [...checkLines(output, found.checks), output.paint(colour, visible(sentence)), ...texts].join('\n'),
  );
  if (verdict === 'broken') throw new CheckFailed();
  if (verdict !== 'kept') throw new TryAgain();
}

interface Comparison {
  promise: InclusionPromise;
  text: string;
  message: PromiseFile['message'];
  trust: TrustOptions;
}

async function compared(call: Call, { promise, text, message, trust }: Comparison, log: string): Promise<Shown> {
  const { output, signal } = call;
  const given = trustOf(trust, []).policy;
  const policy = { ...given, logs: given.logs.filter(({ key }) => key.name === promise.log) };
  const service = serviceUrl(log);
  const { url } = await addressOf(service, policy.logs.map(({ key }) => formatVkey(key))[0], REQUEST_PATIENCE_MS, signal);
  const source = new LogSource(url, REQUEST_PATIENCE_MS, signal);
  const leaf = leafOf(LEAF.message, promise.contentHash);
  const proven = await proofFrom(service, message, (proof) => verifyProof(proof, leaf, policy), signal);
  if (proven) return kept(promise, proven);
  const served = await servedCheckpoint(source, policy);
  const readAt = new Date();
  const { checkpoint, note } = served;
  if (checkpoint.size > LEAVES_READ_MAX)
    throw new UsageError(
      `The log has ${checkpoint.size} entries, more than are read. Give the response to the send, and its service as --log.`,
    );
  const index = await findLeaf(source, checkpoint, leaf, output.progress(promise.log));
  if (index !== undefined) return kept(promise, { ...served, index });
  const absent = `None of the ${checkpoint.size} entries of the log is the message. All of them lead to the root of its signed checkpoint.`;
  if (readAt.getTime() <= Date.parse(promise.by) + CLOCK_SKEW_MS)
    return {
      verdict: 'not yet due',
      checks: [{ part: 'inclusion', state: 'unchecked', text: absent }],
      sentence: `Not yet due: the log has time until ${promise.by}. Ask again then.`,
    };
  const later = served.witnesses.find(({ time }) => 1_000 * time > Date.parse(promise.by));
  // An old checkpoint, which is genuine, contradicts nothing: a cache, or a mirror that lags behind, may have served it.
  if (!later)
    return {
      verdict: 'overdue',
      checks: [{ part: 'inclusion', state: 'unchecked', text: absent }, ...witnessLines(served)],
      sentence: `Overdue: the log showed this checkpoint at ${readAt.toISOString()}, by the clock of this machine. The promise is broken if it was signed after ${promise.by}, which no witness that you named says. Ask again, with --policy <path> that names witnesses of the log.`,
    };
  const time = `The checkpoint was cosigned by ${later.name} at ${new Date(1_000 * later.time).toISOString()}, after that time.`;
  return {
    verdict: 'broken',
    checks: [
      { part: 'inclusion', state: 'failed', reason: 'broken-promise', text: absent },
      ...witnessLines(served),
      { part: 'time', state: 'verified', text: time },
    ],
    sentence: `BROKEN: at ${promise.at}, the log ${promise.log} signed the promise that ${promise.contentHash} would be among its entries by ${promise.by}. It is not. Promise and checkpoint are both signed for the operator of the log, and contradict each other: keep them.`,
    evidence: { promise: text, checkpoint: note, leaves: checkpoint.size, read_at: readAt.toISOString() },
  };
}

function witnessLines(found: AcceptedCheckpoint): Check[] {
  const findings = new Findings(true);
  addWitnesses(findings, found);
  return findings.checks;
}

function kept(promise: InclusionPromise, found: VerifiedProof): Shown {
  const now = new Date();
  const by = Date.parse(promise.by);
  const early = found.witnesses.find(({ time }) => 1_000 * time <= by);
  const inTime: Check = early
    ? {
        part: 'time',
        state: 'verified',
        text: `In time: ${early.name} cosigned a checkpoint with it at ${new Date(1_000 * early.time).toISOString()}.`,
      }
    : now.getTime() <= by
      ? { part: 'time', state: 'verified', text: `In time: it is there at ${now.toISOString()}, by the clock of this machine.` }
      : { part: 'time', state: 'unchecked', text: `It is there now. Whether it was by ${promise.by}, a checkpoint alone does not show.` };
  const place = `Entry ${found.index} of ${found.checkpoint.size} in the log ${promise.log}.`;
  return {
    verdict: 'kept',
    checks: [{ part: 'inclusion', state: 'verified', text: place }, ...witnessLines(found), inTime],
    sentence: 'Kept: the log has the message.',
  };
}

/** The public proof of the message, if the file says where its receipt is. Without one that verifies, the log is read. */
async function proofFrom(
  service: URL,
  message: PromiseFile['message'],
  verify: (proof: string) => Promise<VerifiedProof>,
  signal: AbortSignal,
): Promise<VerifiedProof | undefined> {
  const receipt = message && URL.parse(message.receipt_url);
  // The file must not choose the addresses to which this machine sends requests.
  if (!receipt || receipt.origin !== service.origin || !/rcpt_\w/.test(receipt.pathname)) return undefined;
  const ending = AbortSignal.any([signal, AbortSignal.timeout(PROOF_PATIENCE_MS)]);
  try {
    return await verify(await new Waybill({ baseUrl: service.origin, maxRetries: 0 }).receiptProof(receipt.href, { signal: ending }));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof WaybillError || error instanceof ProofError || ending.aborted) return undefined;
    throw error;
  }
}
