import { BlockList, isIP } from 'node:net';

/** IANA's registries of special addresses, and the internal services of clouds. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's own services, although in a public range
  '169.254.0.0/16', // link-local, and with it the metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
];

/** Only 2000::/3 of IPv6 is assigned to the public. Ranges that embed an IPv4 address are outside of it, or listed below. */
const PUBLIC_IPV6 = '2000::/3';
const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments, and Teredo
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // the former 6bone
  '3fff::/20', // documentation
];

const special = new BlockList();
const publicIpv6 = new BlockList();
for (const network of SPECIAL_IPV4) add(special, network, 'ipv4');
for (const network of SPECIAL_IPV6) add(special, network, 'ipv6');
add(publicIpv6, PUBLIC_IPV6, 'ipv6');

function add(list: BlockList, network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits] = network.split('/');
  list.addSubnet(address, Number(bits), family);
}

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, 'ipv4');
  if (family !== 6 || address.includes('%')) return false;
  return publicIpv6.check(address, 'ipv6') && !special.check(address, 'ipv6') && !isIsatap(address);
}

/** ISATAP embeds an IPv4 address behind any prefix. */
function isIsatap(address: string): boolean {
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const before = head.split(':');
  const after = tail.split(':').filter((group) => group !== '');
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return groups[5] === '5efe' && (groups[4] === '0' || groups[4] === '200');
}
