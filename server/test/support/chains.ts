import { createHash } from 'node:crypto';
import { parseProof } from '@waybill/proof';
import { expect } from 'vitest';
import type { Api } from './api.ts';
import { untilLogged } from './proofs.ts';

interface ShownLink {
  member: 'hand_overs' | 'acknowledgements' | 'expiry';
  statement: string;
  index: number;
}

export function hashOfText(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** The chain in a proof, which must be numbered without a gap, name the hashes of the ones before, and grow in the log from its message on. */
export async function chainInProof(api: Pick<Api, 'get'>, id: string, links: number): Promise<ShownLink[]> {
  let chain: ShownLink[] = [];
  await expect
    .poll(async () => {
      const { body } = await untilLogged(() => api.get(`/messages/${id}/proof`));
      chain = linksIn(body);
      expectChain(chain, parseProof(body.proof).index);
      return chain.length;
    })
    .toBe(links);
  return chain;
}

type Shown = { statement: string; proof: string };

function linksIn(bundle: { hand_overs?: Shown[]; acknowledgements?: Shown[]; expiry?: Shown }): ShownLink[] {
  const { hand_overs = [], acknowledgements = [], expiry } = bundle;
  const links = Object.entries({ hand_overs, acknowledgements, expiry: expiry ? [expiry] : [] }).flatMap(([member, all]) =>
    all.map(({ statement, proof }) => ({ member: member as ShownLink['member'], statement, index: parseProof(proof).index })),
  );
  return links.sort((a, b) => JSON.parse(a.statement).number - JSON.parse(b.statement).number);
}

function expectChain(chain: readonly ShownLink[], indexOfMessage: number): void {
  for (const [at, { statement, index }] of chain.entries()) {
    const before = chain[at - 1];
    const { number, previous } = JSON.parse(statement);
    expect([number, previous]).toEqual([at + 1, before ? hashOfText(before.statement) : null]);
    expect(index).toBeGreaterThan(before?.index ?? indexOfMessage);
  }
}
