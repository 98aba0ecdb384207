import { domainToASCII } from 'node:url';
import { type Address, asciiLowerCase, formatAddress, parseHandle, parseSegment } from './names.ts';

export function parseRecipient(address: string, inboundDomain: string): Address | undefined {
  const at = address.lastIndexOf('@');
  if (at < 0 || asciiLowerCase(domainToASCII(address.slice(at + 1))) !== inboundDomain) return undefined;
  const local = address.slice(0, at);
  const plus = local.indexOf('+');
  const handle = parseHandle(plus < 0 ? local : local.slice(0, plus));
  const segment = plus < 0 ? undefined : parseSegment(local.slice(plus + 1));
  return handle === undefined || (plus >= 0 && segment === undefined) ? undefined : { handle, segment };
}

export function recipientsIn(addresses: readonly string[], inboundDomain: string): Address[] {
  return addresses.flatMap((address) => parseRecipient(address, inboundDomain) ?? []);
}

export function addresseeOf({ handle, segment }: Address): string {
  return formatAddress(handle, segment ?? null);
}
