import { Type } from 'typebox';

export const PendingProofSchema = Type.Object(
  { status: Type.Literal('pending'), retry_after_s: Type.Integer({ description: 'As in the header Retry-After.' }) },
  { $id: 'PendingProof', additionalProperties: false, description: 'The message is not in a checkpoint of the log yet.' },
);
