import { jsonHash } from '@waybill/client';
import type { Bundle } from './bundle.ts';
import { hashOf } from './bytes.ts';
import { ProofError } from './errors.ts';
import { isAmbiguous } from './json-ambiguity.ts';
import { LEAF } from './leaf.ts';
import type { Policy } from './policy.ts';
import type { Findings } from './report.ts';
import { type EnvelopeStatement, parseFileStatement } from './statements.ts';
import { verifyStatement } from './verify-logged.ts';

/** Compares the JSON in the file, and JSON that the caller has, with the hashes of the envelope. */
export function checkJson(findings: Findings, { json }: Bundle, given: string | undefined, envelope: EnvelopeStatement): void {
  if (json !== undefined) {
    const { jsonSha256, jsonBytesSha256 } = envelope;
    // The proof of an older message has the canonical form. For others, both hashes are compared: two readers must not see two values.
    const isHashed = hashOf(json) === (jsonBytesSha256 ?? jsonSha256);
    const isSame = isHashed && (jsonBytesSha256 === null || likenessOf(json, envelope) === 'same text');
    if (isSame) findings.verified('json', 'The JSON in the file is that of the message.');
    else findings.failed('json', 'another-json', 'The JSON in the file is not that of the message.');
  } else if (envelope.jsonSha256 !== null && given === undefined) findings.unchecked('json', 'The file has not the JSON, only its hash.');
  if (given !== undefined) checkGivenJson(findings, given, envelope);
}

function checkGivenJson(findings: Findings, json: string, envelope: EnvelopeStatement): void {
  const likeness = likenessOf(json, envelope);
  if (likeness === 'no JSON') throw new ProofError('What you gave is not JSON.');
  if (likeness === 'other') findings.failed('json', 'another-json', 'The JSON that you gave is not that of the message.');
  else if (likeness === 'same text' || envelope.jsonBytesSha256 === null)
    findings.verified('json', 'The JSON that you gave is that of the message.');
  // Its reader may have read another value than the message has.
  else if (isAmbiguous(json))
    findings.failed(
      'json',
      'ambiguous-json',
      'The JSON that you gave is not the text of the message, and has repeated keys, or numbers that a double rounds: others may read another value from it.',
    );
  else
    findings.unchecked(
      'json',
      'The JSON that you gave has the value of the message’s JSON (RFC 8785), but not its bytes: spaces, order of keys, digits or repeated keys differ.',
    );
}

type Likeness = 'same text' | 'same value' | 'other' | 'no JSON';

/** How JSON compares with that of the message. Space around it does not count. */
function likenessOf(json: string, { jsonSha256, jsonBytesSha256 }: EnvelopeStatement): Likeness {
  try {
    if (jsonHash(json) !== jsonSha256) return 'other';
  } catch {
    return 'no JSON';
  }
  return hashOf(json.trim()) === jsonBytesSha256 ? 'same text' : 'same value';
}

/**
 * Checks the statements of large files, which were hashed after delivery, and files that the caller has. Returns the hashes of files by id, null where
 * none is known.
 */
export async function checkFiles(
  findings: Findings,
  bundle: Bundle,
  given: readonly { name: string; sha256: string }[],
  envelope: EnvelopeStatement,
  policy: Policy,
): Promise<Map<string, string | null>> {
  const hashes = new Map(envelope.files.map(({ id, sha256 }) => [id, sha256]));
  for (const { id, sha256, ...logged } of bundle.files ?? []) {
    const named = envelope.files.find((file) => file.id === id);
    await findings.check(
      'file',
      async () => {
        const said = parseFileStatement(logged.statement);
        const isSame = said.file === id && said.sha256 === sha256 && said.message === envelope.id && said.sizeBytes === named?.sizeBytes;
        if (!isSame || hashes.get(id) !== null)
          throw new ProofError('The statement is not of a file whose hash the envelope leaves open.', 'another-file');
        await verifyStatement(LEAF.file, logged, policy);
        hashes.set(id, sha256);
      },
      () => `${named?.filename}: the hash, computed after delivery, is in the log.`,
    );
  }
  for (const { name, sha256 } of given) {
    const [id] = [...hashes].find(([, known]) => known === sha256) ?? [];
    if (id === undefined) findings.failed('file', 'another-file', `${name} is not a file of the message.`);
    else findings.verified('file', `${name} is the file ${id} of the message.`);
  }
  for (const { id, filename } of envelope.files)
    if (hashes.get(id) === null) findings.unchecked('file', `${filename}: the proof has no hash of this large file.`);
  return hashes;
}
