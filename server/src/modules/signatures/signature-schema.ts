import { Type } from 'typebox';
import { closed } from '../../contract/paging.ts';
import type { SignatureParts } from './signatures.ts';

const time = Type.String({ format: 'date-time' });

export const SigningKeySchema = Type.Object(
  {
    id: Type.String({ description: 'sgk_ id, which signatures give as `keyid`' }),
    public_key: Type.String({ description: 'The 32 bytes of the Ed25519 key in base64.' }),
    created_at: time,
    revoked_at: Type.Union([time, Type.Null()]),
  },
  { $id: 'SigningKey', ...closed },
);

const shown = { key: SigningKeySchema, created_at: { ...time, description: 'When the signature says that it was made.' } };

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

/** The public key and the time come from the statement in the log. */
export function receiptSignatureView({ key, keyId, keyRevokedAt, createdAt }: SignatureParts) {
  const { public_key, at } = JSON.parse(key);
  return {
    key: { id: keyId, public_key, created_at: at, revoked_at: keyRevokedAt?.toISOString() ?? null },
    created_at: createdAt.toISOString(),
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
