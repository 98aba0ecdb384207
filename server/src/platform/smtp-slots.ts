import { isIPv6 } from 'node:net';

export interface SlotLimits {
  connections: number;
  connectionsPerAddress: number;
  connectionsPerNetwork: number;
  /** Connections that are reserved for networks that have none. */
  connectionsReserved: number;
}

const IPV6_GROUPS_OF_NETWORK = 3;

/**
 * Limits connections by address and by network. One customer of a hosting provider can easily have 256 IPv4 addresses, and
 * providers assign /48 of IPv6 to a site.
 */
export class SmtpSlots {
  readonly #limits: SlotLimits;
  readonly #taken = new Map<string, string>();

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Returns why no connection is left, or undefined. */
  take(id: string, address: string): string | undefined {
    const { connections, connectionsPerAddress, connectionsPerNetwork, connectionsReserved } = this.#limits;
    const network = smtpNetworkOf(address);
    const taken = [...this.#taken.values()];
    const ofNetwork = taken.filter((other) => smtpNetworkOf(other) === network).length;
    if (taken.filter((other) => other === address).length >= connectionsPerAddress) return 'from your address';
    if (ofNetwork >= connectionsPerNetwork) return 'from your network';
    const isLast = taken.length >= connections - connectionsReserved;
    if (taken.length >= connections || (isLast && ofNetwork > 0)) return 'in all';
    this.#taken.set(id, address);
    return undefined;
  }

  free(id: string): void {
    this.#taken.delete(id);
  }
}

export function smtpNetworkOf(address: string): string {
  const ipv4 = /^(?:::ffff:)?((?:\d+\.){3})\d+$/i.exec(address)?.[1];
  if (ipv4 !== undefined || !isIPv6(address)) return ipv4 ?? address;
  const [head = '', tail = ''] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const behind = tail === '' ? [] : tail.split(':');
  const missing = address.includes('::') ? Array<string>(Math.max(0, 8 - groups.length - behind.length)).fill('0') : [];
  return [...groups, ...missing, ...behind]
    .slice(0, IPV6_GROUPS_OF_NETWORK)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
