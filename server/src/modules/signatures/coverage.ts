import { type Components, filesHash, isNamed, partyName } from '@waybill/client';
import { Type } from 'typebox';
import { Refusal } from '../../contract/errors.ts';
import type { Party } from '../../contract/parties.ts';
import type { DeliveredFile } from '../files/delivered-file.ts';

/** What a signature of a message covers. The service: by its host. The files: by the hash of each. */
const COVERAGE = ['service', 'recipient', 'files', 'content'] as const;
type Coverage = (typeof COVERAGE)[number];

const COMPONENT_OF: Record<Coverage, string> = {
  service: '@authority',
  recipient: 'waybill-recipient',
  files: 'waybill-files',
  content: 'content-digest',
};

export const CoverageSchema = Type.Array(Type.Enum([...COVERAGE]), {
  description:
    'What the signature covers. `service`: that the request is for this service. `recipient`: who was to get it. `files`: the hash of each file. `content`: the body.',
});

export function coverageOf(components: Components): Coverage[] {
  return COVERAGE.filter((one) => Object.hasOwn(components, COMPONENT_OF[one]));
}

/** Refuses a signed message that would go to somebody else than its sender has signed. */
export function checkRecipient(covered: Components, { view }: Pick<Party, 'view'>): void {
  const named = covered[COMPONENT_OF.recipient];
  if (named === undefined || isNamed(named, view, covered[COMPONENT_OF.service])) return;
  throw new Refusal(
    'invalid_signature',
    `The signed Waybill-Recipient is ${named}, and the message would go to ${partyName(view)}. If that is meant, give it as to and sign it.`,
  );
}

/** Large files have no hash yet: then verifiers compare, once the log has it. */
export function checkFiles(covered: Components, files: readonly Pick<DeliveredFile, 'sha256'>[]): void {
  const signed = covered[COMPONENT_OF.files];
  if (signed === undefined) return;
  const hashes = files.flatMap(({ sha256 }) => (sha256 === null ? [] : `sha256:${sha256.toString('hex')}`));
  if (files.length === 0) throw new Refusal('invalid_signature', 'The signature covers Waybill-Files, and the message has no files.');
  if (hashes.length === files.length && filesHash(hashes) !== signed)
    throw new Refusal(
      'invalid_signature',
      'The signed Waybill-Files is not the hash of the SHA-256 of the files in this order. Upload them again.',
    );
}
