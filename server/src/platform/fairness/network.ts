import { isIPv6 } from 'node:net';

const GROUP_BITS = 16;

/** The network by which requests are counted: an IPv4 address, or a /56 of IPv6, which is what a provider assigns to a household. */
export function networkOf(address: string): string {
  return ipv4Of(address) ?? ipv6Prefix(address, 56) ?? address;
}

/** The /48 of an IPv6 address, which is what a provider assigns to a company: 256 networks, which together have a few times the limit of one. */
export function siteOf(address: string): string | undefined {
  return ipv4Of(address) === undefined ? ipv6Prefix(address, 48) : undefined;
}

/** The IPv4 address, even if it is written as IPv6 (`::ffff:`). */
export function ipv4Of(address: string): string | undefined {
  return /^(?:::ffff:)?((?:\d+\.){3}\d+)$/i.exec(address)?.[1];
}

/** The first bits of an IPv6 address in one notation, or undefined for anything else. */
function ipv6Prefix(address: string, bits: number): string | undefined {
  if (!isIPv6(address)) return undefined;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const behind = tail ? tail.split(':') : [];
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - behind.length);
  const groups = [...before, ...Array<string>(missing).fill('0'), ...behind].map((group) => Number.parseInt(group, 16));
  const kept = groups.slice(0, Math.ceil(bits / GROUP_BITS)).map((group, i) => {
    const unused = Math.max(0, (i + 1) * GROUP_BITS - bits);
    return ((group >> unused) << unused).toString(16);
  });
  return `${kept.join(':')}::/${bits}`;
}
