import type { BundleSignature } from './bundle.ts';
import { fromBase64 } from './bytes.ts';
import { PUBLIC_KEY_BYTES } from './ed25519.ts';
import { ProofError } from './errors.ts';
import { LEAF } from './leaf.ts';
import type { Policy } from './policy.ts';
import type { Findings } from './report.ts';
import type { VerifiedRequest } from './signed-request.ts';
import { type DomainStatement, isSameParty, nameOf, type Party, parseDomainStatement } from './statements.ts';
import { verifyStatement } from './verify-logged.ts';

/** Who signed, by a key that the log vouches for. */
export interface Signatory {
  role: 'sender' | 'recipient';
  /** The log that has the key. */
  origin: string;
  party: Party;
  agent: string;
  keyId: string;
  /** 32 bytes in base64. */
  publicKey: string;
  /** The caller has the key from elsewhere. */
  isKnown: boolean;
  /** The domain that vouches for the key, by the word of the log. */
  domain: DomainStatement | undefined;
}

/** A request that holds, with its signature in the file. */
interface Seen {
  role: Signatory['role'];
  signature: BundleSignature;
  request: VerifiedRequest;
}

/** Throws unless each text is a public key in base64, or an id of one. */
export function requireKeys(keys: readonly string[]): void {
  for (const key of keys)
    if (!/^sgk_\w{1,100}$/.test(key) && fromBase64(key, 'A key that you gave').length !== PUBLIC_KEY_BYTES)
      throw new ProofError('A key that you gave has not the 32 bytes of Ed25519.');
}

/** Adds the lines about one key. Without keys that the caller has from elsewhere, whose key it is remains the word of the log. */
export async function checkKey(
  findings: Findings,
  { role, signature: { domain }, request }: Seen,
  known: readonly string[],
  policy: Policy,
): Promise<Signatory> {
  const { key, origin, revokedAt } = request;
  const { id, publicKey, party, agent } = key;
  const isKnown = known.includes(publicKey) || known.includes(id);
  if (isKnown) findings.verified('key', `${id}, with which ${nameOf(party)} signed, is a key of the ${role} that you gave.`);
  else if (known.length > 0) findings.failed('key', 'another-key', `${id} (${publicKey}) is not a key of the ${role} that you gave.`);
  else
    findings.unchecked(
      'key',
      `That ${id} (${publicKey}) is a key of ${nameOf(party)} is the word of the log. Compare it with the key that ${nameOf(party)} gave you.`,
    );
  if (revokedAt !== undefined) findings.verified('key', `${id} was revoked at ${revokedAt}, after what it signed.`);
  const vouching =
    domain &&
    (await findings.check(
      'key',
      async () => {
        const said = parseDomainStatement(domain.statement);
        await verifyStatement(LEAF.domain, domain, policy);
        const isOfKey = isSameParty(said.party, party) && said.keys.includes(publicKey);
        if (!isOfKey || said.state !== 'bound')
          throw new ProofError('The statement of the domain is not about the signing key.', 'another-domain-key');
        return said;
      },
      ({ domain: name, at }) =>
        `By the word of the log, the domain ${name} vouches for ${id}, since ${at}. Compare: https://${name}/.well-known/waybill-keys.json`,
    ));
  return { role, origin, party, agent, keyId: id, publicKey, isKnown, domain: vouching };
}
