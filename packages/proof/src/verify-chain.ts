import type { Bundle, BundleAcknowledgement, BundleSignature, BundleStatement } from './bundle.ts';
import { hashOf } from './bytes.ts';
import { ProofError } from './errors.ts';
import { type EvidentStep, evidentSignature } from './evidence.ts';
import { LEAF, type LeafType } from './leaf.ts';
import type { Policy } from './policy.ts';
import type { Reason } from './reasons.ts';
import type { Findings } from './report.ts';
import { type VerifiedRequest, verifyRequest } from './signed-request.ts';
import {
  type AcknowledgementStatement,
  type EnvelopeStatement,
  type HandOverStatement,
  isSameParty,
  type LinkStatement,
  type NonDeliveryStatement,
  nameOf,
  type Party,
  parseAcknowledgement,
  parseHandOver,
  parseNonDelivery,
} from './statements.ts';
import { CLOCKS_DIFFER_MAX_S } from './timestamp.ts';
import type { VerifiedProof } from './tlog-proof.ts';
import { isBefore, verifyStatement } from './verify-logged.ts';

/* What happened to a message after it was received: hand-overs, acknowledgements, or that nobody took it in time. */

export interface Signed {
  statement: AcknowledgementStatement;
  signature: BundleSignature | undefined;
  request: VerifiedRequest | undefined;
}

/** A statement of the chain that holds by itself. */
interface Link {
  text: string;
  said: LinkStatement;
  evident: EvidentStep;
  place: VerifiedProof;
  kind: 'hand-over' | 'acknowledgement' | 'expiry';
  status?: string;
}

/** An accepted message can still be processed or rejected. Those two are final. */
const LATER: ReadonlyMap<string, readonly string[]> = new Map([
  ['accepted', ['processed', 'rejected']],
  ['processed', []],
  ['rejected', []],
]);

export interface ChainGround {
  findings: Findings;
  envelope: EnvelopeStatement;
  contentHash: string;
  policy: Policy;
  authorities: readonly string[];
  /** The leaf of the message. Undefined: no log that is trusted has it. */
  message: VerifiedProof | undefined;
}

/** Of a statement that nobody but the service signs: that the log has it is checked, and what it says is the service’s word. */
const isNeverProven = () => false;

/** Checks each statement, then their order. Returns the acknowledgements that hold. */
export async function checkChain(ground: ChainGround, { hand_overs = [], acknowledgements = [], expiry }: Bundle): Promise<Signed[]> {
  const links: Link[] = [];
  const signed: Signed[] = [];
  for (const one of hand_overs) links.push(...(await handOver(ground, one)));
  for (const one of acknowledgements) {
    const [found] = await acknowledgement(ground, one);
    if (!found) continue;
    links.push(found.link);
    signed.push(found);
  }
  if (expiry) links.push(...(await nonDelivery(ground, expiry)));
  ground.findings.evidence.steps.push(...links.toSorted(byNumber).map(({ evident }) => evident));
  const stated = hand_overs.length + acknowledgements.length + (expiry ? 1 : 0);
  // A statement that does not hold by itself has a line of its own.
  if (stated > 0 && links.length === stated) checkOrder(ground, links);
  return signed;
}

async function handOver(ground: ChainGround, one: BundleStatement): Promise<Link[]> {
  const link = await ground.findings.check(
    'hand-over',
    async (): Promise<Link & { said: HandOverStatement }> => {
      const said = parseHandOver(one.statement);
      const place = await placeOf(ground, LEAF.handOver, said, one);
      return { kind: 'hand-over', text: one.statement, said, place, evident: { ...stepOf(ground, 'hand-over', said), way: said.way } };
    },
    ({ said: { at, party, way } }) =>
      `Handed over to ${nameOf(party)} ${way === 'webhook' ? 'by webhook' : 'to a consumer'} at ${at}: the service’s word.`,
    isNeverProven,
  );
  return link ? [link] : [];
}

async function acknowledgement(ground: ChainGround, one: BundleAcknowledgement): Promise<(Signed & { link: Link })[]> {
  const { findings, envelope, authorities, policy } = ground;
  const found = await findings.check(
    'acknowledgement',
    async (): Promise<Signed & { link: Link }> => {
      const said = parseAcknowledgement(one.statement);
      const place = await placeOf(ground, LEAF.acknowledgement, said, one);
      const request = await verifyAcknowledger(one, said, { place, authorities }, policy);
      const { status, reason, actor } = said;
      const evident = { ...stepOf(ground, 'acknowledgement', said), said: { status, reason, actor, signature: evidentSignature(request) } };
      const link: Link = { kind: 'acknowledgement', status, text: one.statement, said, place, evident };
      return { statement: said, signature: one.signature, request, link };
    },
    (signed) => tellAcknowledgement(signed, envelope.to),
    ({ request, link }) => request?.notCovered.length === 0 && link.evident.isRecipient,
  );
  return found ? [found] : [];
}

async function nonDelivery(ground: ChainGround, one: BundleStatement): Promise<Link[]> {
  const link = await ground.findings.check(
    'expiry',
    async (): Promise<Link & { said: NonDeliveryStatement }> => {
      const said = parseNonDelivery(one.statement);
      const place = await placeOf(ground, LEAF.nonDelivery, said, one);
      if (said.expiresAt !== ground.envelope.expiresAt)
        throw new ProofError('The statement of non-delivery has another time limit than the message.', 'another-content');
      if (Date.parse(said.at) < Date.parse(said.expiresAt))
        throw new ProofError('The statement of non-delivery is from before the time limit of the message.', 'expired-early');
      return { kind: 'expiry', text: one.statement, said, place, evident: stepOf(ground, 'expiry', said) };
    },
    ({ said: { party, expiresAt } }) => `Nobody at ${nameOf(party)} took the message by ${expiresAt}: the service’s word.`,
    isNeverProven,
  );
  return link ? [link] : [];
}

function stepOf({ envelope }: ChainGround, kind: Link['kind'], { number, at, party }: LinkStatement): EvidentStep {
  return { kind, number, at, party, isRecipient: isSameParty(party, envelope.to) };
}

/** Those from before acknowledgements were numbered come first, in the order of the file. */
function byNumber(one: Link, other: Link): number {
  return (one.said.number ?? 0) - (other.said.number ?? 0);
}

async function placeOf(
  { envelope, contentHash, policy }: ChainGround,
  type: LeafType,
  said: LinkStatement,
  one: BundleStatement,
): Promise<VerifiedProof> {
  if (said.message !== envelope.id || said.contentHash !== contentHash)
    throw new ProofError('The statement is of another message.', 'another-message');
  // A mailbox or a domain may have joined a business since.
  if (envelope.to.kind === 'handle' && !isSameParty(said.party, envelope.to))
    throw new ProofError('The statement is of somebody else than the recipient.', 'not-the-recipient');
  const place = await verifyStatement(type, one, policy);
  const seenS = Math.min(...place.witnesses.map(({ time }) => time));
  if (Date.parse(said.at) > 1_000 * (seenS + CLOCKS_DIFFER_MAX_S))
    throw new ProofError(`The statement is of ${said.at}, after a witness saw it.`, 'dated-after-proof');
  return place;
}

async function verifyAcknowledger(
  { signature }: BundleAcknowledgement,
  said: AcknowledgementStatement,
  expected: { place: VerifiedProof; authorities: readonly string[] },
  policy: Policy,
): Promise<VerifiedRequest | undefined> {
  if (!LATER.has(said.status)) throw new ProofError(`The status “${said.status}” is unknown.`, 'unknown-status');
  if (!signature) return undefined;
  const { party, at, actor } = said;
  const path = `/v1/messages/${said.message}/acknowledge`;
  const request = await verifyRequest(signature, { path, party, agent: actor.id, at, ...expected }, policy);
  const { body, notCovered } = request;
  const { status, reason = null, content_hash: contentHash, number } = body;
  if (status !== said.status || reason !== said.reason || (contentHash !== undefined && contentHash !== said.contentHash))
    throw new ProofError('The signed request says something else.', 'another-content');
  if (number !== undefined && number !== said.number) throw new ProofError('The signed request has another number.', 'another-number');
  if (contentHash === undefined || number === undefined) notCovered.unshift('the content');
  return request;
}

function tellAcknowledgement({ statement: { status, at, party, actor, reason }, request }: Signed, to: Party): string {
  const what = `${status[0]?.toUpperCase()}${status.slice(1)} by ${actor.name} of ${nameOf(party)} at ${at}${reason === null ? '' : ` (“${reason}”)`}`;
  const whose = isSameParty(party, to) ? '' : ` That this is ${nameOf(to)} is the service’s word.`;
  if (!request) return `${what}, not signed: the service’s word.${whose}`;
  const { key, notCovered } = request;
  return `${what}, signed with ${key.id}${notCovered.length === 0 ? '' : `. Not covered: ${notCovered.join(', ')}`}.${whose}`;
}

function checkOrder({ findings, envelope, message }: ChainGround, links: readonly Link[]): void {
  const ordered = links.toSorted(byNumber);
  const numbered = ordered.filter(({ said }) => said.number !== undefined);
  const fault = numberFault(numbered) ?? orderFault(ordered, envelope, message);
  if (fault) findings.failed('chain', fault[0], fault[1]);
  else if (numbered.length < links.length)
    findings.unchecked('chain', 'The acknowledgements are from before they were numbered: one among them may be missing.');
  else {
    findings.evidence.isChainWhole = true;
    findings.verified(
      'chain',
      `What happened to the message is numbered from 1 to ${links.length} without a gap. What came later is not in the file.`,
    );
  }
}

type Fault = [reason: Reason, text: string];

function numberFault(links: readonly Link[]): Fault | undefined {
  let previous: string | null = null;
  for (const [at, { said, text }] of links.entries()) {
    if (said.number === links[at - 1]?.said.number) return ['chain-repeat', `Two statements have the number ${said.number}.`];
    if (said.number !== at + 1) return ['chain-gap', `The statement with the number ${at + 1} is missing.`];
    if (said.previous !== previous) return ['chain-broken', `The statement ${said.number} does not follow the one before.`];
    previous = hashOf(text);
  }
  return undefined;
}

function orderFault(links: readonly Link[], envelope: EnvelopeStatement, message: VerifiedProof | undefined): Fault | undefined {
  let [status, last]: [string | undefined, number] = [undefined, Date.parse(envelope.receivedAt)];
  for (const [at, { kind, said, place, status: next }] of links.entries()) {
    const before = links[at - 1];
    // The shards of a service have clocks of their own.
    if (Date.parse(said.at) + 1_000 * CLOCKS_DIFFER_MAX_S < last)
      return ['chain-time', `A statement of ${said.at} comes after a later one.`];
    last = Math.max(last, Date.parse(said.at));
    // Before there were numbers, the log took acknowledgements in any order.
    const earlier = before?.place ?? (said.number === undefined ? undefined : message);
    if (earlier && isBefore(earlier, place) === false)
      return ['chain-order', `A statement of ${said.at} is in the log before what it follows.`];
    if (kind === 'expiry' && at > 0) return ['expired-after-delivery', 'The message was taken before it expired.'];
    if (kind !== 'acknowledgement' || next === undefined) continue;
    if (status !== undefined && LATER.get(status)?.length === 0)
      return ['after-the-end', `“${next}” comes after “${status}”, which is final.`];
    if (status !== undefined && !LATER.get(status)?.includes(next)) return ['status-order', `“${next}” comes after “${status}”.`];
    status = next;
  }
  return undefined;
}
