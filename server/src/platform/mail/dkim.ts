import { once } from 'node:events';
import type { DKIMResult } from 'mailauth';
import { DkimVerifier } from 'mailauth/lib/dkim/dkim-verifier.js';
import { BodyHash, RelaxedBody } from './dkim-body.ts';
import { type HeaderField, headerOf } from './mail-header.ts';

export type Resolve = (name: string, type: string) => Promise<string[][] | string[]>;

export interface Signature {
  domain: string;
  /** The fields that the signature covers, present or missing. */
  signed: ReadonlySet<string>;
  field: HeaderField;
}

/** Signatures of known signers have 2 KB at most. Longer ones are an attempt to slow the service down. */
const SIGNATURE_MAX_BYTES = 8_192;
/** The length of the record of an RSA key of 8,192 bits. Checks with longer keys take too long. */
const KEY_RECORD_MAX_CHARS = 2_000;

/** Undefined: the signature is ambiguous or too long. */
export function parseSignature(field: HeaderField): Signature | undefined {
  if (field.raw.length > SIGNATURE_MAX_BYTES) return undefined;
  const tags = field.value.split(';').map((tag) => {
    const [name = '', ...rest] = tag.split('=');
    return [name.trim().toLowerCase(), rest.join('=').replace(/\s+/g, '')] as const;
  });
  const named = new Map(tags.filter(([name]) => name !== ''));
  if (named.size !== tags.filter(([name]) => name !== '').length) return undefined;
  const signed = new Set((named.get('h') ?? '').toLowerCase().split(':'));
  const domain = named.get('d')?.toLowerCase().replace(/\.$/, '');
  return domain ? { domain, signed, field } : undefined;
}

/** The verifier of mailauth, with a body hash whose time does not depend on line lengths. */
class Verifier extends DkimVerifier {
  override addBodyHash(canonical: string, algorithm: string, maxBytes: number | ''): string {
    const key = `${canonical} ${algorithm} ${maxBytes}`;
    if (!this.bodyHashes.has(key))
      this.bodyHashes.set(key, new BodyHash(canonical === 'relaxed', algorithm, maxBytes === '' ? undefined : maxBytes));
    return key;
  }
}

export class SignatureCheck {
  readonly #verifier: Verifier;
  /** All signatures share one, because relaxing a body takes longer than hashing it. */
  readonly #relaxedBody = new RelaxedBody();

  /** `fields` has all fields of the mail. The verifier gets those that the signatures name, and no other signature. */
  constructor(fields: readonly HeaderField[], signatures: readonly Signature[], sender: string, resolve: Resolve) {
    this.#verifier = new Verifier({ sender, resolver: withoutLongKeys(resolve), rejectRsaSha1: true });
    this.#verifier.on('error', () => {});
    const isNamed = ({ name }: HeaderField) => name === 'from' || signatures.some(({ signed }) => signed.has(name));
    const isOther = ({ name }: HeaderField) => name === 'dkim-signature' || name.startsWith('arc-');
    const chosen = new Set(signatures.map(({ field }) => field));
    this.#verifier.write(headerOf(fields.filter((field) => chosen.has(field) || (isNamed(field) && !isOther(field)))));
  }

  update(chunk: Buffer): void {
    const hashes = [...this.#verifier.bodyHashes.values()] as BodyHash[];
    const relaxed = hashes.some(({ isRelaxed }) => isRelaxed) ? this.#relaxedBody.relax(chunk) : chunk;
    for (const hash of hashes) hash.update(hash.isRelaxed ? relaxed : chunk);
  }

  async end(): Promise<DKIMResult[]> {
    const ended = once(this.#verifier, 'finish');
    this.#verifier.end();
    await ended;
    return this.#verifier.results;
  }
}

function withoutLongKeys(resolve: Resolve): Resolve {
  return async (name, type) => {
    const records = await resolve(name, type);
    const isLong = (record: string[] | string) => [record].flat().join('').length > KEY_RECORD_MAX_CHARS;
    return records.filter((record) => !isLong(record)) as string[][] | string[];
  };
}
