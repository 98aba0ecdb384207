import { type Policy, ProofError, parsePolicy } from '@waybill/proof';
import { WITNESSES_MAX } from './witness-limits.ts';

export function looksLikePolicy(text: string): boolean {
  return /^(?:witness|group|quorum|log|#)\s/.test(text);
}

/** Parses the policy (c2sp.org/tlog-policy) of a service that sends requests to witnesses, so each witness needs a URL. */
export function parseWitnessPolicy(text: string): Policy {
  const policy = parsePolicy(text);
  if (policy.witnesses.length > WITNESSES_MAX) throw new ProofError(`The policy has more than ${WITNESSES_MAX} witnesses.`);
  for (const { name, url } of policy.witnesses) {
    const isUsable = url !== undefined && /^https?:\/\//.test(url) && hasNoPassword(url);
    if (!isUsable) throw new ProofError(`The witness ${name} needs a URL that begins with https:// or http://.`);
  }
  return policy;
}

/** A URL with a password is refused, because requests are sent without it. */
export function hasNoPassword(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.username + url.password === '';
}
