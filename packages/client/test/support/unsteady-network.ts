import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface UnsteadyNetwork {
  url: string;
  /** Milliseconds that each chunk takes, in both directions. */
  delayMs: number;
  /** Cuts the next connections, each after this many bytes from the client or from the service. */
  cutAfter: { client?: number; service?: number }[];
  cuts: number;
  connections: number;
  /** Nobody gets through. */
  isDown: boolean;
  cutAll(): void;
  stop(): Promise<void>;
}

/** A network between client and service: real TCP, with delays and broken connections. */
export async function startUnsteadyNetwork(serviceUrl: string): Promise<UnsteadyNetwork> {
  const target = new URL(serviceUrl);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    network.connections++;
    if (network.isDown) return void client.resetAndDestroy();
    const service = connect(Number(target.port), target.hostname);
    const limits = network.cutAfter.shift();
    let isCut = false;
    const cut = () => {
      if (isCut) return;
      isCut = true;
      network.cuts++;
      client.resetAndDestroy();
      service.destroy();
    };
    for (const [from, to, limit] of [
      [client, service, limits?.client],
      [service, client, limits?.service],
    ] as const) {
      let bytes = 0;
      open.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroySoon();
      });
      from.on('data', (chunk) => {
        bytes += chunk.length;
        if (limit !== undefined && bytes > limit) {
          to.write(chunk.subarray(0, Math.max(0, chunk.length - (bytes - limit))), () => setTimeout(cut, 20));
          from.pause();
          return;
        }
        from.pause();
        setTimeout(() => {
          to.write(chunk);
          from.resume();
        }, network.delayMs);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const network: UnsteadyNetwork = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delayMs: 0,
    cutAfter: [],
    cuts: 0,
    connections: 0,
    isDown: false,
    cutAll: () => {
      for (const socket of open) socket.resetAndDestroy();
    },
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return network;
}
