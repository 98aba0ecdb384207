import { Type } from 'typebox';

export const PendingProofSchema = Type.Object(
  { status: Type.Literal('pending'), retry_after_s: Type.Integer({ description: 'As in the header Retry-After.' }) },
  { $id: 'PendingProof', additionalProperties: false, description: 'The message is not in a checkpoint of the log yet.' },
);

const text = (description: string) => Type.String({ description });
const proof = text('The tlog-proof of its leaf.');
const closed = { additionalProperties: false };
const logFields = { origin: text('The name of the log.'), vkey: text('Its verifier key.') };
const signature = Type.Object(
  {
    key: text('The statement of the signing key.'),
    key_proof: text('The tlog-proof of that statement.'),
    signature_input: text('The value of `@signature-params` (RFC 9421).'),
    signature: text('64 bytes in base64.'),
    components: Type.Record(Type.String(), Type.String(), { description: 'The values that the signature covers.' }),
    body: text('The body of the signed request.'),
  },
  closed,
);

const stamp = {
  token: text('A token of a timestamp authority (RFC 3161), in base64.'),
  crls: Type.Optional(Type.Array(Type.String(), { description: 'Lists of revoked certificates of the authority, in base64.' })),
};

export const ProofSchema = Type.Object(
  {
    format: Type.Literal('waybill-proof/1'),
    envelope: text('The canonical JSON whose SHA-256 is the `content_hash` of the message.'),
    log: Type.Object(logFields, closed),
    other_logs: Type.Optional(Type.Array(Type.Object(logFields, closed), { description: 'Further logs that proofs here are of.' })),
    proof: text('The tlog-proof of the message.'),
    json: Type.Optional(text('The JSON of the message in canonical form.')),
    files: Type.Optional(
      Type.Array(
        Type.Object(
          { id: text('file_ id'), sha256: text('The hash of its bytes.'), statement: text('What the log has of it.'), proof },
          { ...closed, description: 'A large file, which was hashed after delivery.' },
        ),
      ),
    ),
    signature: Type.Optional(signature),
    acknowledgements: Type.Optional(
      Type.Array(Type.Object({ statement: text('What the recipient has said.'), proof, signature: Type.Optional(signature) }, closed)),
    ),
    timestamps: Type.Optional(
      Type.Array(
        Type.Object(
          {
            proof,
            ...stamp,
            renewals: Type.Optional(
              Type.Array(Type.Object({ statement: text('What the log has of the timestamp before.'), proof, ...stamp }, closed), {
                description: 'Later timestamps that vouch for it, if it ends soon.',
              }),
            ),
          },
          closed,
        ),
      ),
    ),
  },
  { $id: 'Proof', ...closed, description: 'Everything that proves a message without the service. docs/proof.md describes the format.' },
);
