import {
  consistencyProof,
  type Policy,
  ProofError,
  parseBundle,
  parseCheckpoint,
  policyOf,
  type TreeHead,
  verifyBundle,
  verifyConsistency,
  withSuccessors,
} from '@waybill/proof';
import { UsageError } from '../problems.ts';
import type { AuditFile } from './audit-state.ts';
import { chainIn, faultOf, longerOf, type SeenChain } from './chains.ts';
import { readTile } from './follow.ts';
import type { LogSource } from './log-source.ts';
import { checkpointsIn } from './proof-heads.ts';
import { LogIsWrong } from './verdicts.ts';

export interface ProofFile {
  name: string;
  text: string;
}

interface Comparing {
  source: LogSource;
  file: AuditFile;
  /** The keys of the audited log. */
  vkeys: readonly string[];
  /** Names of the service, for which requests may be signed. */
  authorities: readonly string[];
}

const CHAINS_MAX = 10_000;

/**
 * Compares proofs of messages with the audited log, and with what earlier proofs have shown of the same messages. Throws LogIsWrong if a proof is of
 * another history, or shows less of a message than an earlier one, or something else. Returns how many messages were compared.
 */
export async function compareProofs(comparing: Comparing, proofs: readonly ProofFile[]): Promise<number> {
  const { file } = comparing;
  const state = file.read();
  if (proofs.length === 0 || state?.checkpoint === undefined) return 0;
  const audited = parseCheckpoint(state.checkpoint);
  const chains = new Map(state.chains);
  const messages = new Set<string>();
  for (const proof of proofs) {
    const { message, chain } = await readProof(comparing, proof, audited);
    const fault = faultOf(chains.get(message), chain);
    if (fault !== undefined) throw wrong(comparing, proof, `of ${message}, ${fault}`);
    chains.set(message, longerOf(chains.get(message), chain));
    if (chains.size > CHAINS_MAX)
      throw new UsageError(`${file.path} remembers ${CHAINS_MAX} messages already. Name another file with --state.`);
    messages.add(message);
  }
  file.write({ ...state, chains });
  return messages.size;
}

async function readProof(comparing: Comparing, proof: ProofFile, audited: TreeHead): Promise<{ message: string; chain: SeenChain }> {
  const { vkeys, authorities } = comparing;
  try {
    const { verdict, checks, envelope } = await verifyBundle(proof.text, { vkeys, authorities });
    const failed = checks.find(({ state }) => state === 'failed');
    if (verdict !== 'verified' || !envelope)
      throw new UsageError(`${proof.name} is not verified by the key of this log: ${failed?.text ?? verdict}`);
    const bundle = parseBundle(proof.text);
    const chain = chainIn(bundle);
    if (!chain) throw new UsageError(`${proof.name} is not whole: a statement about the message is missing.`);
    await requireAudited(comparing, proof, await withSuccessors(policyOf(...vkeys), bundle.successions ?? []), audited);
    return { message: envelope.id, chain };
  } catch (error) {
    throw error instanceof ProofError ? new UsageError(`${proof.name}: ${error.message}`) : error;
  }
}

/** An operator can show a message in the audited history, and what was said of it in another one. So each tree that the proof shows is compared. */
async function requireAudited(comparing: Comparing, proof: ProofFile, policy: Policy, audited: TreeHead): Promise<void> {
  const heads = (await checkpointsIn(proof.text, policy)).map(({ checkpoint }) => checkpoint);
  for (const head of heads.filter(({ origin }) => origin === audited.origin)) {
    if (head.size > audited.size)
      throw new UsageError(
        `${proof.name} is newer than the audited log: it shows a tree of ${head.size} entries, and ${audited.size} were audited. Audit again.`,
      );
    if (!(await isInHistory(comparing.source, head, audited)))
      throw wrong(
        comparing,
        proof,
        `it is not the log of the proof, which shows a tree of ${head.size} entries: that one is another history`,
      );
  }
}

async function isInHistory(source: LogSource, older: TreeHead, target: TreeHead): Promise<boolean> {
  const heads = { oldSize: older.size, oldRoot: older.root, size: target.size, root: target.root };
  return verifyConsistency(
    heads,
    await consistencyProof(older.size, target.size, (level, index, width) => readTile(source, level, index, width)),
  );
}

/** The proof is the evidence: what it shows is signed by the log. */
function wrong({ file, vkeys: [vkey] }: Comparing, { name, text }: ProofFile, fault: string): LogIsWrong {
  return new LogIsWrong(`${fault} (${name}; evidence: ${file.keepEvidence(`${vkey}: ${fault}`, text)})`);
}
