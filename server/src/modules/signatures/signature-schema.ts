import { Type } from 'typebox';
import { closed } from '../../contract/paging.ts';
import type { KeyDomain } from '../domain-keys/domain-keys.ts';
import { CoverageSchema, coverageOf } from './coverage.ts';
import type { SignatureParts } from './signatures.ts';

const time = Type.String({ format: 'date-time' });

export const SigningKeySchema = Type.Object(
  {
    id: Type.String({ description: 'sgk_ id, which signatures give as `keyid`' }),
    public_key: Type.String({ description: 'The 32 bytes of the Ed25519 key in base64.' }),
    created_at: time,
    revoked_at: Type.Union([time, Type.Null()]),
    domain: Type.Union(
      [Type.Object({ name: Type.String(), since: { ...time, description: 'When the log got a statement of that.' } }, closed), Type.Null()],
      { description: 'A verified domain of the business that vouches for the key, by a file that it publishes. Null if none does.' },
    ),
  },
  { $id: 'SigningKey', ...closed },
);

const shown = {
  key: SigningKeySchema,
  created_at: { ...time, description: 'When the signature says that it was made.' },
  covers: CoverageSchema,
};

export const ReceiptSignatureSchema = Type.Object(shown, { $id: 'ReceiptSignature', ...closed });
export const SignatureSchema = Type.Object(
  {
    ...shown,
    signature_input: Type.String({ description: 'The value of `@signature-params`, which the signature covers (RFC 9421).' }),
    signature: Type.String({ description: 'Ed25519, in base64.' }),
    components: Type.Record(Type.String(), Type.String(), { description: 'The values of the components that the signature covers.' }),
    body: Type.String({ description: 'The body of the request, byte for byte, whose digest is in `components`.' }),
  },
  { $id: 'Signature', ...closed },
);

export function keyDomainView(vouching: KeyDomain | undefined) {
  return vouching ? { name: vouching.domain, since: vouching.since.toISOString() } : null;
}

/** The public key and the time come from the statement in the log. */
export function receiptSignatureView({ key, keyId, keyRevokedAt, domain, createdAt, components }: SignatureParts) {
  const { public_key, at } = JSON.parse(key);
  return {
    key: { id: keyId, public_key, created_at: at, revoked_at: keyRevokedAt?.toISOString() ?? null, domain: keyDomainView(domain) },
    created_at: createdAt.toISOString(),
    covers: coverageOf(components),
  };
}

export function signatureView(parts: SignatureParts) {
  return {
    ...receiptSignatureView(parts),
    signature_input: parts.signatureInput,
    signature: parts.signature.toString('base64'),
    components: parts.components,
    body: parts.body.toString('utf8'),
  };
}
