import { ipv4Of, siteOf } from '../fairness/network.ts';

export interface SlotLimits {
  connections: number;
  connectionsPerAddress: number;
  connectionsPerNetwork: number;
  connectionsReserved: number;
}

/**
 * Limits connections by address and by network. One customer of a hosting provider can easily have 256 IPv4 addresses, and a site has a /48 of IPv6.
 */
export class SmtpSlots {
  readonly #limits: SlotLimits;
  readonly #taken = new Map<string, string>();

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

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

function smtpNetworkOf(address: string): string {
  return ipv4Of(address)?.replace(/\d+$/, '') ?? siteOf(address) ?? address;
}
