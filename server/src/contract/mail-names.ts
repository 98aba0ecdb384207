import { domainToASCII, domainToUnicode } from 'node:url';

const DOMAIN_MAX_CHARS = 253;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** The URL parser behind domainToASCII ends a name at these characters, skips or decodes them. */
const NOT_OF_A_NAME = /[\s\p{Cc}/\\?#@:%[\]]/u;
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$/i;

/** The stored form of a mail domain: lower case, Unicode as punycode, no dot at the end. Undefined: the text is no domain. */
export function parseDomain(text: string): string | undefined {
  const name = text.trim().replace(/[.。．｡]$/, '');
  if (NOT_OF_A_NAME.test(name)) return undefined;
  const domain = domainToASCII(name);
  const labels = domain.split('.');
  const isOne = labels.length >= 2 && domain.length <= DOMAIN_MAX_CHARS && labels.every((label) => LABEL.test(label));
  // A last label of digits would make the name an IP address.
  return isOne && !/^\d+$/.test(labels.at(-1) ?? '') ? domain : undefined;
}

/** The mailbox in lower case: mail providers ignore the case. */
export function parseEmail(text: string): string | undefined {
  const address = text.trim();
  if (/\s/.test(address)) return undefined;
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(0, at));
  const domain = parseDomain(address.slice(at + 1));
  return domain !== undefined && LOCAL_PART.test(local) ? `${local.toLowerCase()}@${domain}` : undefined;
}

export function inLetters(name: string): string {
  const at = name.lastIndexOf('@') + 1;
  return name.slice(0, at) + domainToUnicode(name.slice(at));
}

export function isWithin(domain: string, other: string): boolean {
  return domain === other || domain.endsWith(`.${other}`);
}
