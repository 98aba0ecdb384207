import type { FastifyRequest } from 'fastify';
import { isSameSecret } from '../../platform/secrets/same-secret.ts';

export const KEPT_MAILS_PATH = '/dev/mail';

const COOKIE = 'waybill_mails';
const COOKIE_VALUE = new RegExp(`(?:^|; *)${COOKIE}=([\\w-]+)`);
const COOKIE_LIFETIME_S = 30 * 24 * 3_600;

export function keepsMails({ smtpUrl }: { smtpUrl: string | undefined }): boolean {
  return smtpUrl === undefined;
}

/**
 * Kept mails contain one-time codes. So they are shown only with the token in the link that is printed at the start, or with the cookie
 * that the link sets.
 */
export class KeptMailAccess {
  readonly #token: string;

  constructor(secret: Buffer) {
    this.#token = secret.toString('base64url');
  }

  linkAt(publicUrl: string): string {
    return `${publicUrl}${KEPT_MAILS_PATH}?token=${this.#token}`;
  }

  fits(token: string | undefined): boolean {
    return token !== undefined && isSameSecret(token, this.#token);
  }

  isOpenTo({ headers }: FastifyRequest): boolean {
    return this.fits(COOKIE_VALUE.exec(headers.cookie ?? '')?.[1]);
  }

  cookieFor(publicUrl: string): string {
    const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
    return `${COOKIE}=${this.#token}; Path=${KEPT_MAILS_PATH}; Max-Age=${COOKIE_LIFETIME_S}; HttpOnly; SameSite=Strict${secure}`;
  }
}
