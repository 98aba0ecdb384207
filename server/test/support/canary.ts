import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import os from 'node:os';

export interface Canary {
  port: number;
  /** The local addresses of connections by others, such as 127.0.0.1 or ::1. */
  visits: string[];
  /** Connects to the canary, to prove that it would notice a connection. */
  notices(host: string): Promise<boolean>;
  stop(): Promise<void>;
}

export const hasIpv6 = Object.values(os.networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'));

/** Listens on one port of every address of this machine, all of 127.0.0.0/8 included, and records connections. */
export async function startCanary(): Promise<Canary> {
  const visits: string[] = [];
  const onConnection = (socket: Socket) => {
    visits.push(socket.localAddress ?? 'unknown');
    socket.on('error', () => {}).destroy();
  };
  const listening = async (port: number, host: string): Promise<Server> => {
    const server = createServer(onConnection).listen({ port, host, ipv6Only: true });
    await once(server, 'listening');
    return server;
  };
  const ipv4 = await listening(0, '0.0.0.0');
  const { port } = ipv4.address() as AddressInfo;
  const servers = hasIpv6 ? [ipv4, await listening(port, '::')] : [ipv4];
  return {
    port,
    visits,
    notices: async (host) => {
      const before = visits.length;
      const socket = connect(port, host).on('error', () => {});
      await once(socket, 'close');
      return visits.splice(before).includes(host);
    },
    stop: async () => {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
