import { hash } from 'node:crypto';
import { compressThoroughly, type Encoding, encodingFor, PREFERRED } from './compression.ts';
import type { HttpResponse } from './endpoint.ts';

interface Form {
  bytes: Buffer;
  headers: Record<string, string>;
}

/** A text that is the same for everybody. Each encoding is made once, so a request costs no more than the bytes that it reads. */
export class StaticDocument {
  readonly #plain: Buffer;
  readonly #digest: string;
  readonly #forms = new Map<Encoding | undefined, Promise<Form>>();

  constructor(text: string) {
    this.#plain = Buffer.from(text);
    this.#digest = hash('sha256', this.#plain, 'base64url').slice(0, 22);
  }

  async respondTo({ headers }: { headers: { 'accept-encoding'?: string | string[] | undefined } }): Promise<HttpResponse> {
    const accepted = headers['accept-encoding'];
    const encoding = encodingFor(Array.isArray(accepted) ? accepted.join() : accepted, PREFERRED);
    const { bytes, headers: own } = await (this.#forms.get(encoding) ?? this.#keep(encoding));
    return { headers: own, body: bytes };
  }

  /** After a failure, the next request tries again. */
  #keep(encoding: Encoding | undefined): Promise<Form> {
    const form = this.#make(encoding);
    this.#forms.set(encoding, form);
    form.catch(() => this.#forms.delete(encoding));
    return form;
  }

  /** The tags are strong: each encoding has its own. */
  async #make(encoding: Encoding | undefined): Promise<Form> {
    const vary = 'accept-encoding';
    if (encoding === undefined) return { bytes: this.#plain, headers: { vary, etag: `"${this.#digest}"` } };
    const bytes = await compressThoroughly(encoding, this.#plain);
    return { bytes, headers: { vary, etag: `"${this.#digest}-${encoding}"`, 'content-encoding': encoding } };
  }
}
