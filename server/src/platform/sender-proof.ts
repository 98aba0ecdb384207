import type { Readable } from 'node:stream';
import { type AuthenticateResult, authenticate, type DKIMResult } from 'mailauth';
import { getDomain } from 'tldts';
import type { NameServers } from './name-servers.ts';

/** What is known of a mail beside its bytes. */
export interface Delivery {
  ip: string;
  helo: string;
  /** The address in MAIL FROM. */
  sender: string;
  /** How our server calls itself. */
  receiver: string;
  nameServers: NameServers;
}

export type SenderProof =
  /** The addresses of all From headers, each of the one domain that is proved. */
  | { outcome: 'proved'; addresses: string[] }
  | { outcome: 'unproved'; reason: string }
  /** A name server did not answer, so that another time it may be proved. */
  | { outcome: 'unknown' };

const DNS_PATIENCE_IN_ALL_MS = 20_000;

/** Where a signature leaves these out, anybody who has the mail can write something else there. */
const MEANING = ['from', 'subject'];
const STRUCTURE = ['content-type', 'content-transfer-encoding'];

/**
 * Whether the domain in From vouches for the mail: by SPF or DKIM for that domain, or for one that belongs to the same
 * organisation unless its DMARC record wants the very same. `fields` are the names of the header fields that the mail has.
 */
export async function proveSender(mail: Readable, domain: string, fields: ReadonlySet<string>, delivery: Delivery): Promise<SenderProof> {
  const { dkim, spf, dmarc } = await authenticate(mail, {
    ip: delivery.ip,
    helo: delivery.helo,
    sender: delivery.sender,
    mta: delivery.receiver,
    resolver: patientResolver(delivery.nameServers),
    rejectRsaSha1: true,
    disableArc: true,
    disableBimi: true,
  });
  if (!dmarc) return unproved('its From header is not understood');
  const isStrict = { spf: dmarc.alignment?.spf.strict ?? false, dkim: dmarc.alignment?.dkim.strict ?? false };
  const ofSender = spf && isAligned(spf.domain, domain, isStrict.spf) ? spf.status.result : 'none';
  const signatures = dkim.results.filter(({ signingDomain }) => isAligned(signingDomain ?? '', domain, isStrict.dkim));
  const isProved = ofSender === 'pass' || signatures.some((signature) => covers(signature, fields));
  if (isProved && (dmarc.status.result === 'pass' || dmarc.status.result === 'none'))
    return { outcome: 'proved', addresses: dkim.headerFrom };
  const results = [ofSender, dmarc.status.result, ...signatures.map(({ status }) => status.result)];
  return results.includes('temperror') ? { outcome: 'unknown' } : unproved(reasonOf({ dkim, spf, dmarc }, signatures, fields));
}

function unproved(reason: string): SenderProof {
  return { outcome: 'unproved', reason };
}

/** Of the same organisation. Domains under which anybody can have one, such as github.io, are none. */
function isAligned(domain: string, from: string, strictly: boolean): boolean {
  const name = domain.toLowerCase();
  if (name === from) return true;
  const organisation = getDomain(from, { allowPrivateDomains: true });
  return !strictly && organisation !== null && getDomain(name, { allowPrivateDomains: true }) === organisation;
}

/** A good signature, over all that makes the mail what it is. */
function covers(signature: DKIMResult, fields: ReadonlySet<string>): boolean {
  return signature.status.result === 'pass' && shortcomingOf(signature, fields) === undefined;
}

function shortcomingOf({ status, signingHeaders, mimeStructureStart }: DKIMResult, fields: ReadonlySet<string>): string | undefined {
  if (status.underSized) return 'its DKIM signature covers a part of the body only';
  const signed = new Set(signingHeaders?.keys.toLowerCase().split(': '));
  const missing = (names: string[]) => names.find((name) => fields.has(name) && !signed.has(name));
  const meaning = missing(MEANING);
  if (meaning !== undefined) return `its DKIM signature does not cover the header ${meaning}`;
  // Some large providers sign no Content-Type. Then the signed body has to begin with the boundary: with another one,
  // another part of the body would be the mail.
  const structure = missing(STRUCTURE);
  return structure !== undefined && mimeStructureStart !== 0 ? `its DKIM signature does not cover the header ${structure}` : undefined;
}

function reasonOf(
  { spf, dkim }: Pick<AuthenticateResult, 'dkim' | 'spf' | 'dmarc'>,
  signatures: DKIMResult[],
  fields: ReadonlySet<string>,
): string {
  const good = signatures.find(({ status }) => status.result === 'pass');
  const shortcoming = good && shortcomingOf(good, fields);
  if (shortcoming !== undefined) return shortcoming;
  const seen = dkim.results.map(({ status }) => status.result);
  return `SPF says ${spf ? spf.status.result : 'none'}, DKIM says ${seen.join(' and ')}, and neither that the domain in From has sent it`;
}

/** A new one for each mail: one that has had quick answers would soon give up on slow ones, whatever its patience. */
function patientResolver(nameServers: NameServers): (name: string, type: string) => Promise<string[][] | string[]> {
  const resolver = nameServers.newResolver();
  let deadline: number | undefined;
  return async (name, type) => {
    deadline ??= performance.now() + DNS_PATIENCE_IN_ALL_MS;
    if (performance.now() > deadline) throw Object.assign(new Error('the name servers took too long'), { code: 'ETIMEOUT' });
    return (await resolver.resolve(name, type)) as string[][] | string[];
  };
}
