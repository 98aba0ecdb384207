import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../postgres/database-clock.ts';

type Verdict = 'good' | 'late' | 'forged';

export class UrlSigner {
  readonly #secret: Buffer;
  readonly #now: Clock;

  constructor(secret: Buffer, now: Clock = () => new Date()) {
    this.#secret = secret;
    this.#now = now;
  }

  sign(method: string, path: string, terms: Record<string, string>, expiresAt: Date): string {
    const signed = new URLSearchParams({ ...terms, expires: String(Math.floor(expiresAt.getTime() / 1000)) });
    return `${signed}&signature=${this.#seal(method, path, signed.toString())}`;
  }

  verify(method: string, path: string, query: string): Verdict {
    const at = query.lastIndexOf('&signature=');
    if (at < 0) return 'forged';
    const signed = query.slice(0, at);
    // Compared as text: decoding would ignore invalid characters.
    const given = Buffer.from(query.slice(at + '&signature='.length));
    const wanted = Buffer.from(this.#seal(method, path, signed));
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return 'forged';
    return Number(new URLSearchParams(signed).get('expires')) * 1000 > this.#now().getTime() ? 'good' : 'late';
  }

  #seal(method: string, path: string, signed: string): string {
    return createHmac('sha256', this.#secret).update(`${method}\n${path}\n${signed}`).digest('base64url');
  }
}
