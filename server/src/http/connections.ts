import { readFileSync } from 'node:fs';
import { BlockList, isIP, type Server, type Socket } from 'node:net';
import { CONNECTIONS_MAX, CONNECTIONS_PER_NETWORK_SHARE, DESCRIPTORS_KEPT_BACK } from '../contract/limits.ts';
import { networkOf, siteOf } from '../platform/fairness/network.ts';

/**
 * Connections beyond the limit that are accepted all the same, to get a refusal before they are closed. Further ones are closed without a
 * response.
 */
const SURPLUS_MAX = 32;
const SURPLUS_PATIENCE_MS = 2_000;
const CONNECTIONS_MIN = 32;

/**
 * Keeps idle connections from using up the descriptors of the process, which the database, files and webhooks need. Each network has a share. Proxies
 * carry the connections of many networks, so they have none. Returns the connections that were accepted only to be refused.
 */
export function limitConnections(server: Server, trustedProxies: string[], max = connectionsMax()): WeakSet<Socket> {
  const refused = new WeakSet<Socket>();
  const perNetwork = Math.ceil(max * CONNECTIONS_PER_NETWORK_SHARE);
  const proxies = listOf(trustedProxies);
  const ofNetworks = new Map<string, number>();
  let open = 0;
  let surplus = 0;
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    const network = proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') ? undefined : (siteOf(address) ?? networkOf(address));
    const ofNetwork = network === undefined ? 0 : (ofNetworks.get(network) ?? 0);
    if (open >= max || ofNetwork >= perNetwork) {
      if (surplus >= SURPLUS_MAX) {
        socket.destroy();
        return;
      }
      surplus++;
      refused.add(socket);
      const impatience = setTimeout(() => socket.destroy(), SURPLUS_PATIENCE_MS).unref();
      socket.once('close', () => {
        surplus--;
        clearTimeout(impatience);
      });
      return;
    }
    open++;
    if (network !== undefined) ofNetworks.set(network, ofNetwork + 1);
    socket.once('close', () => {
      open--;
      if (network === undefined) return;
      const left = (ofNetworks.get(network) ?? 1) - 1;
      if (left > 0) ofNetworks.set(network, left);
      else ofNetworks.delete(network);
    });
  });
  return refused;
}

/** A connection may need a second descriptor, for the file that it carries. */
function connectionsMax(): number {
  const descriptors = descriptorLimit() ?? Number.POSITIVE_INFINITY;
  return Math.max(CONNECTIONS_MIN, Math.min(CONNECTIONS_MAX, Math.floor((descriptors - DESCRIPTORS_KEPT_BACK) / 2)));
}

function descriptorLimit(): number | undefined {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

function listOf(networks: string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
