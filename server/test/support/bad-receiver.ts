import { once } from 'node:events';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import type { Identity } from './certificates.ts';

/** Receivers that violate HTTP: each gets its connections raw. */
export class BadReceivers {
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();

  tcp(onConnection: (socket: Socket) => void): Promise<number> {
    return this.#listen(net.createServer((socket) => this.#hand(socket, onConnection)));
  }

  tls(identity: Identity, onConnection: (socket: Socket) => void): Promise<number> {
    const server = tls.createServer(identity, (socket) => this.#hand(socket, onConnection));
    server.on('connection', (socket) => this.#sockets.add(socket));
    server.on('tlsClientError', () => {});
    return this.#listen(server);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  #hand(socket: Socket, onConnection: (socket: Socket) => void): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  }

  async #listen(server: Server): Promise<number> {
    this.#servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }
}
