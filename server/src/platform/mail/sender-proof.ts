import { isIP } from 'node:net';
import { type DKIMResult, dmarc, spf } from 'mailauth';
import { getDomain } from 'tldts';
import type { NameServers } from '../outbound/name-servers.ts';
import { parseSignature, type Resolve, type Signature, SignatureCheck } from './dkim.ts';
import type { HeaderField } from './mail-header.ts';

interface Delivery {
  ip: string;
  helo: string;
  sender: string;
  receiver: string;
  nameServers: NameServers;
}

export type SenderProof =
  | { outcome: 'proved' }
  | { outcome: 'unproved'; reason: string }
  /** A name server did not respond. A later try may prove the sender. */
  | { outcome: 'unknown' };

export interface OpenProof {
  readonly decision?: SenderProof;
  /** The fields that the signature vouches for. Undefined: SPF has proved the server, and so the whole mail. */
  readonly signed: ReadonlySet<string> | undefined;
  update(chunk: Buffer): void;
  end(): Promise<SenderProof>;
}

const DNS_PATIENCE_IN_ALL_MS = 20_000;

/** If a signature omits one of these, anybody who has the mail can change that field, or send the mail to others, for ever. */
const ALWAYS_SIGNED = ['from', 'date', 'message-id'];
const SIGNED_IF_THERE = ['subject'];
const RECIPIENTS = ['to', 'cc'];

/**
 * Whether the domain in From vouches for a mail: by SPF, or by one of at most `signaturesMax` signatures. Another domain of the same organisation
 * counts only if a DMARC record says so.
 */
export async function openProof(
  fields: readonly HeaderField[],
  domain: string,
  delivery: Delivery,
  signaturesMax: number,
): Promise<OpenProof> {
  const resolve = patientResolver(delivery.nameServers);
  const policy = await dmarc({ headerFrom: [`x@${domain}`], fromFields: 1, spfDomains: [], dkimDomains: [], resolver: resolve });
  const isUnknown = policy !== false && policy.status.result === 'temperror';
  if (policy === false || isUnknown) return decided(isUnknown ? { outcome: 'unknown' } : unproved('its From header is not understood'));
  const isRelaxed = (by: 'spf' | 'dkim') => policy.status.result === 'fail' && policy.alignment?.[by].strict === false;
  const { ip, helo, sender, receiver: mta } = delivery;
  const server = await spf({ ip, sender, mta, helo: isIP(helo || ip) ? `[${helo || ip}]` : helo, resolver: resolve });
  const isAlignedServer = isAligned(server.domain, domain, isRelaxed('spf'));
  const ofServer = isAlignedServer ? server.status.result : 'none';
  if (ofServer === 'pass') return decided({ outcome: 'proved' });

  const said = `SPF says ${server.status.result}${isAlignedServer ? '' : ' of another domain'}`;
  const isTemporary = ofServer === 'temperror';
  const aligned = signaturesOf(fields).filter((signature) => isAligned(signature.domain, domain, isRelaxed('dkim')));
  const shortcomings = aligned.map((signature) => shortcomingOf(signature, fields));
  const chosen = aligned.filter((_, i) => shortcomings[i] === undefined).slice(0, signaturesMax);
  if (chosen.length === 0)
    return decided(
      isTemporary ? { outcome: 'unknown' } : unproved(shortcomings[0] ?? `${said}, and there is no DKIM signature of the domain in From`),
    );

  const signed = chosen.map((signature) => signature.signed).reduce((all, next) => all.intersection(next));
  const check = new SignatureCheck(fields, chosen, delivery.sender, resolve);
  return {
    signed,
    update: (chunk) => check.update(chunk),
    end: async () => {
      const results = await check.end();
      const good = results.filter(({ status }) => status.result === 'pass');
      const isProof = ({ status, signingDomain, signingHeaders }: DKIMResult) =>
        !status.underSized &&
        isAligned(signingDomain ?? '', domain, isRelaxed('dkim')) &&
        // This parser and the verifier must agree on what the signature covers.
        fields.every(({ name }) => !signed.has(name) || namesIn(signingHeaders).has(name));
      if (good.some(isProof)) return { outcome: 'proved' };
      if (isTemporary || results.some(({ status }) => status.result === 'temperror')) return { outcome: 'unknown' };
      if (good.some(({ status }) => status.underSized)) return unproved('its DKIM signature covers a part of the body only');
      const seen = results.map(({ status }) => status.result).join(' and ');
      return unproved(`${said}, DKIM says ${seen}, and neither that the domain in From has sent it`);
    },
  };
}

function decided(proof: SenderProof): OpenProof {
  return { decision: proof, signed: undefined, update: () => {}, end: async () => proof };
}

function unproved(reason: string): SenderProof {
  return { outcome: 'unproved', reason };
}

/** Whether the domains are the same, or of the same organisation. Suffixes with many owners, such as github.io, are not organisations. */
function isAligned(name: string, from: string, isRelaxed: boolean): boolean {
  const domain = name.toLowerCase();
  if (domain === from) return true;
  const organisation = getDomain(from, { allowPrivateDomains: true });
  return isRelaxed && organisation !== null && getDomain(domain, { allowPrivateDomains: true }) === organisation;
}

function signaturesOf(fields: readonly HeaderField[]): Signature[] {
  return fields.filter(({ name }) => name === 'dkim-signature').flatMap((field) => parseSignature(field) ?? []);
}

function shortcomingOf({ signed }: Signature, fields: readonly HeaderField[]): string | undefined {
  const isThere = (name: string) => fields.some((field) => field.name === name);
  const missing =
    SIGNED_IF_THERE.find((name) => isThere(name) && !signed.has(name)) ??
    ALWAYS_SIGNED.find((name) => !isThere(name) || !signed.has(name)) ??
    (RECIPIENTS.some((name) => isThere(name) && signed.has(name)) ? undefined : 'to');
  return missing && `its DKIM signature does not cover the header ${missing}`;
}

function namesIn(signingHeaders: DKIMResult['signingHeaders']): Set<string> {
  return new Set(signingHeaders?.keys.toLowerCase().split(': '));
}

/** A new resolver for each mail: after quick DNS responses, a resolver soon gives up on slow ones, whatever its timeout. */
function patientResolver(nameServers: NameServers): Resolve {
  const resolver = nameServers.newResolver();
  let deadline: number | undefined;
  return async (name, type) => {
    deadline ??= performance.now() + DNS_PATIENCE_IN_ALL_MS;
    if (performance.now() > deadline) throw Object.assign(new Error('the name servers took too long'), { code: 'ETIMEOUT' });
    return (await resolver.resolve(name, type)) as string[][] | string[];
  };
}
