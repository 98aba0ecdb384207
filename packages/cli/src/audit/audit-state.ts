import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { messageOf, UsageError } from '../problems.ts';
import type { SeenChain } from './chains.ts';
import { TreeEdge } from './tree-edge.ts';

export interface AuditState {
  vkey: string;
  checkpoint: string | undefined;
  /** The ISO date since which the log was found to be consistent. */
  since: string | undefined;
  /** The edge of the tree at a multiple of 256 leaves. It may be ahead of the checkpoint: an audit was interrupted. */
  edge: TreeEdge;
  /** What proofs have shown of messages. Key: message id. */
  chains: ReadonlyMap<string, SeenChain>;
}

interface Stored {
  format: typeof FORMAT;
  vkey: string;
  checkpoint: string | null;
  since: string | null;
  leaves: number;
  levels: string[];
  /** Missing in files from before proofs were compared. */
  chains?: Record<string, SeenChain>;
}

const FORMAT = 'waybill-audit/1';

export class AuditFile {
  readonly path: string;

  constructor(file: string) {
    this.path = file;
  }

  read(): AuditState | undefined {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new UsageError(`Couldn’t read ${this.path}: ${messageOf(error)}`);
    }
    try {
      const { format, vkey, checkpoint, since, leaves, levels, chains = {} }: Stored = JSON.parse(text);
      if (format !== FORMAT) throw new TypeError('another format');
      const edge = new TreeEdge(
        leaves,
        levels.map((hashes) => Buffer.from(hashes, 'base64')),
      );
      return { vkey, checkpoint: checkpoint ?? undefined, since: since ?? undefined, edge, chains: new Map(Object.entries(chains)) };
    } catch {
      throw new UsageError(
        `${this.path} is not what an audit has written. Restore the file; deleting it forgets what was seen of the log.`,
      );
    }
  }

  /** Writes atomically: a crash leaves the old file or the new one. */
  write({ vkey, checkpoint, since, edge, chains }: AuditState): void {
    const levels = edge.partialTiles().map(({ bytes }) => bytes.toString('base64'));
    const stored: Stored = {
      format: FORMAT,
      vkey,
      checkpoint: checkpoint ?? null,
      since: since ?? null,
      leaves: edge.size,
      levels,
      ...(chains.size > 0 && { chains: Object.fromEntries(chains) }),
    };
    replaceFile(this.path, `${JSON.stringify(stored, null, 2)}\n`);
  }

  /** Keeps contradictory checkpoints, once. Returns the file. */
  keepEvidence(reason: string, ...notes: string[]): string {
    const text = `${reason}\n\n${notes.join('\n')}`;
    const name = createHash('sha256').update(notes.join('\n')).digest('hex').slice(0, 12);
    const file = `${this.path}.evidence-${name}.txt`;
    replaceFile(file, text);
    return file;
  }
}

function replaceFile(file: string, text: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  } catch (error) {
    throw new UsageError(`Couldn’t write ${file}: ${messageOf(error)}`);
  }
}
