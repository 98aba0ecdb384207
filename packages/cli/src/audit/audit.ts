import {
  type AcceptedCheckpoint,
  consistencyProof,
  formatVkey,
  openCheckpoint,
  type Policy,
  ProofError,
  parseCheckpoint,
  TILE_WIDTH,
  type TreeHead,
  type VerifierKey,
  verifyConsistency,
} from '@waybill/proof';
import { UsageError } from '../problems.ts';
import type { AuditFile, AuditState } from './audit-state.ts';
import { compareProofs, type ProofFile } from './compare-proofs.ts';
import { follow, readTile } from './follow.ts';
import type { LogSource } from './log-source.ts';
import { TreeEdge } from './tree-edge.ts';
import { LogIsWrong, LogUnreachable } from './verdicts.ts';

const CHECKPOINT_MAX_BYTES = 64 * 1024;
/** A long audit saves its progress at this interval. */
const SAVE_EVERY_MS = 2_000;

interface Auditing {
  source: LogSource;
  file: AuditFile;
  key: VerifierKey;
  /** Those that may have signed the checkpoint. */
  keys: readonly VerifierKey[];
  policy: Policy | undefined;
  proofs: readonly ProofFile[];
  /** Names of the service, for which requests in proofs may be signed. */
  authorities: readonly string[];
  onProgress(done: number, total: number): void;
}

export interface AuditReport {
  origin: string;
  size: number;
  added: number;
  since: string;
  /** The log serves a checkpoint that is older than one that was seen. Both are of the same history. */
  isBehind: boolean;
  /** Messages whose proofs were compared with the log, and with earlier proofs. */
  messages: number;
  witnesses: { signed: string[]; total: number; isQuorum: boolean } | undefined;
}

interface Served extends AcceptedCheckpoint {
  note: string;
}

/** Follows a log: reads new entries and compares the tree with the one that was seen before. Throws LogIsWrong or LogUnreachable. */
export async function audit(auditing: Auditing): Promise<AuditReport> {
  const { source, file, key, keys, proofs, authorities } = auditing;
  const before: AuditState = file.read() ?? {
    vkey: formatVkey(key),
    checkpoint: undefined,
    since: undefined,
    edge: new TreeEdge(),
    chains: new Map(),
  };
  const known = before.checkpoint === undefined ? undefined : parseCheckpoint(before.checkpoint);
  if (known && known.origin !== key.name)
    throw new UsageError(`${file.path} is about ${known.origin}, not about ${key.name}. Name another file with --state.`);
  const served = await readCheckpoint(auditing);
  const report = await compare(auditing, before, known, served).catch((error) => {
    if (!(error instanceof LogIsWrong)) throw error;
    // The entries that were read since the last checkpoint may be a part of the fault.
    const isAhead = before.edge.size > (known?.size ?? 0);
    file.write({ ...before, edge: isAhead ? new TreeEdge() : before.edge });
    const evidence = file.keepEvidence(
      `${key.name}: ${error.message}`,
      ...[before.checkpoint, served.note].filter((note) => note !== undefined),
    );
    throw new LogIsWrong(`${error.message} (evidence: ${evidence})`);
  });
  const messages = await compareProofs({ source, file, vkeys: keys.map(formatVkey), authorities }, proofs);
  return { ...report, messages, ...witnessesOf(auditing.policy, served) };
}

async function compare(auditing: Auditing, before: AuditState, known: TreeHead | undefined, served: Served) {
  const { checkpoint: target, note, log } = served;
  const { source, file, onProgress } = auditing;
  const since = before.since ?? new Date().toISOString();
  const facts = { origin: target.origin, size: target.size, since };
  if (known && target.size < known.size) {
    await requireSameHistory(source, target, known);
    return { ...facts, added: 0, isBehind: true };
  }
  // If more was read than the log has now, the audit begins again.
  const edge = before.edge.size > target.size ? new TreeEdge() : before.edge.clone();
  const first = Math.max(edge.size, known?.size ?? 0);
  let aligned = edge.clone();
  let savedAt = performance.now();
  const onFull = () => {
    onProgress(edge.size, target.size);
    const isDue = performance.now() - savedAt >= SAVE_EVERY_MS;
    const isLast = edge.size + TILE_WIDTH > target.size;
    if (isDue || isLast) aligned = edge.clone();
    if (!isDue) return;
    file.write({ ...before, edge: aligned });
    savedAt = performance.now();
  };
  await follow({ source, edge, known, target, onFull });
  onProgress(target.size, target.size);
  file.write({ vkey: formatVkey(log), checkpoint: note, since, edge: aligned, chains: before.chains });
  return { ...facts, added: target.size - Math.min(first, target.size), isBehind: false };
}

/** A checkpoint with enough witnesses may be older than one without. The log must prove that both are of the same history. */
async function requireSameHistory(source: LogSource, older: TreeHead, known: TreeHead): Promise<void> {
  const rolledBack = `it has ${older.size} entries, and had ${known.size} before: it was rolled back`;
  let proof: Uint8Array[];
  try {
    proof = await consistencyProof(older.size, known.size, (level, index, width) => readTile(source, level, index, width));
  } catch (error) {
    throw error instanceof LogIsWrong || error instanceof ProofError ? new LogIsWrong(rolledBack) : error;
  }
  const heads = { oldSize: older.size, oldRoot: older.root, size: known.size, root: known.root };
  if (!verifyConsistency(heads, proof)) throw new LogIsWrong(`${rolledBack}, to another history`);
}

async function readCheckpoint({ source, keys, policy }: Auditing): Promise<Served> {
  const bytes = await source.find('checkpoint', CHECKPOINT_MAX_BYTES);
  if (!bytes) throw new LogUnreachable('There is no public log at this address.');
  const note = bytes.toString('utf8');
  const { witnesses = [], groups = [], quorum = 'none' } = policy ?? {};
  try {
    return { ...(await openCheckpoint(note, { logs: keys.map((key) => ({ key })), witnesses, groups, quorum })), note };
  } catch (error) {
    if (error instanceof ProofError) throw new LogIsWrong(`its checkpoint is not valid: ${error.message}`);
    throw error;
  }
}

function witnessesOf(policy: Policy | undefined, { witnesses, isQuorum }: Served): Pick<AuditReport, 'witnesses'> {
  if (!policy) return { witnesses: undefined };
  return { witnesses: { signed: witnesses.map(({ name }) => name), total: policy.witnesses.length, isQuorum } };
}
