import type { ReceiptSignature } from '../api/schema.ts';

/** What a complete signature covers, as the API names it. */
const WHOLE = ['service', 'recipient', 'files'] as const;

/** Says what a signature leaves open: another could have been put in its place. */
export function coverageText(covers: ReceiptSignature['covers'], hasFiles: boolean): string {
  const missing = WHOLE.filter((one) => !covers.includes(one) && (one !== 'files' || hasFiles));
  return missing.length === 0 ? 'Signed by the sender' : `Signed by the sender, ${missing.join(' and ')} not covered,`;
}
