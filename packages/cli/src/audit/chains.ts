import { createHash } from 'node:crypto';
import { type Bundle, parseCheckpoint, parseProof, type TreeHead } from '@waybill/proof';

/** What a proof shows of a message: the hashes of the statements about it, in the order of their numbers, in a tree of this size. */
export interface SeenChain {
  size: number;
  statements: string[];
}

/** Undefined: a number is missing. Acknowledgements from before there were numbers are left out. */
export function chainIn(bundle: Bundle): SeenChain | undefined {
  const head = headOf(bundle.proof);
  const links = linksIn(bundle);
  const heads = links.map(({ proof }) => headOf(proof)).filter(({ origin }) => origin === head.origin);
  const numbered = links.flatMap(({ statement }) => {
    const { number }: { number?: unknown } = JSON.parse(statement);
    return typeof number === 'number' ? [{ number, hash: createHash('sha256').update(statement).digest('hex') }] : [];
  });
  numbered.sort((a, b) => a.number - b.number);
  if (numbered.some(({ number }, at) => number !== at + 1)) return undefined;
  const size = Math.max(...[head, ...heads].map((one) => one.size));
  return { size, statements: numbered.map(({ hash }) => hash) };
}

function linksIn({ hand_overs: handOvers = [], acknowledgements = [], expiry }: Bundle) {
  return [...handOvers, ...acknowledgements, ...(expiry ? [expiry] : [])];
}

function headOf(proof: string): TreeHead {
  return parseCheckpoint(parseProof(proof).checkpoint);
}

/** What contradicts the chain that was seen before. An older proof may show less. */
export function faultOf(seen: SeenChain | undefined, shown: SeenChain): string | undefined {
  if (!seen) return undefined;
  const other = shown.statements.findIndex((hash, at) => seen.statements[at] !== undefined && seen.statements[at] !== hash);
  if (other >= 0) return `the statement with the number ${other + 1} is another one than before`;
  if (shown.size < seen.size || shown.statements.length >= seen.statements.length) return undefined;
  return `it shows a shorter chain than before, ${shown.statements.length} in place of ${seen.statements.length} statements, in a log that has not become smaller`;
}

export function longerOf(seen: SeenChain | undefined, { size, statements }: SeenChain): SeenChain {
  if (!seen) return { size, statements };
  return { size: Math.max(seen.size, size), statements: seen.statements.length > statements.length ? seen.statements : statements };
}
