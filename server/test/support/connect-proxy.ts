import http from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { authority } from './receiver.ts';

export interface ConnectProxy {
  url: string;
  /** The targets of CONNECT, in order. */
  targets: string[];
  /** The real port of a target on this machine. Other targets get the status. */
  ports: Map<string, number>;
  refusal: number;
  stop(): Promise<void>;
}

/** A real HTTP proxy on loopback that supports only CONNECT. */
export async function startConnectProxy({ tls = false, credentials = '' } = {}): Promise<ConnectProxy> {
  const sockets = new Set<Socket>();
  const server = tls ? https.createServer(authority.issue(['localhost'])) : http.createServer();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('connect', (request, client: Socket) => {
    client.on('error', () => {});
    const target = request.url ?? '';
    proxy.targets.push(target);
    const expected = credentials === '' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
    const port = proxy.ports.get(target);
    if (request.headers['proxy-authorization'] !== expected) return client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    if (port === undefined) return client.end(`HTTP/1.1 ${proxy.refusal} Refused\r\nContent-Length: 2\r\n\r\nno`);
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    sockets.add(upstream);
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const user = credentials === '' ? '' : `${credentials.split(':').map(encodeURIComponent).join(':')}@`;
  const proxy: ConnectProxy = {
    url: `${tls ? 'https' : 'http'}://${user}localhost:${port}`,
    targets: [],
    ports: new Map(),
    refusal: 502,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
