import { connect as connectTcp, isIPv6, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** The proxy can't be reached, or refuses. The message is for the owner of the webhook, who does not run the proxy. */
export class ProxyFailure extends Error {}

const RESPONSE_MAX_BYTES = 16 * 1024;
const END_OF_HEAD = '\r\n\r\n';

/**
 * Opens connections through an HTTP proxy, with CONNECT. The proxy gets addresses, never names: it could resolve a name to other addresses than those
 * that were checked.
 */
export class OutboundProxy {
  readonly #url: URL;
  readonly #authorization: string;

  constructor(url: string) {
    this.#url = new URL(url);
    const { username, password } = this.#url;
    const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
    this.#authorization = username === '' ? '' : `Proxy-Authorization: Basic ${credentials}\r\n`;
  }

  async open(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
    let failure: unknown;
    for (const address of addresses) {
      try {
        return await this.#tunnel(`${isIPv6(address) ? `[${address}]` : address}:${port}`, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        failure ??= error;
      }
    }
    throw failure;
  }

  #tunnel(authority: string, signal: AbortSignal): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = this.#connect();
      let head = Buffer.alloc(0);
      const fail = (reason: string) => {
        signal.removeEventListener('abort', onAbort);
        socket.destroy();
        reject(new ProxyFailure(reason));
      };
      const onAbort = () => fail('the outbound proxy of the service did not connect in time');
      const onLoss = () => fail('the outbound proxy of the service could not be reached');
      const onData = (chunk: Buffer) => {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf(END_OF_HEAD);
        if (end === -1 && head.length <= RESPONSE_MAX_BYTES) return;
        const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1', 0, 16))?.[1];
        // The receiver sends nothing before TLS begins, so bytes after the head did not come from it.
        const isOpen = status?.startsWith('2') && end + END_OF_HEAD.length === head.length;
        if (!isOpen) return fail(`the outbound proxy of the service refused the connection (${status ?? 'not HTTP'})`);
        signal.removeEventListener('abort', onAbort);
        // From now on, the user of the socket notices its loss. Without any listener, an error would end the process.
        socket.pause().off('data', onData).off('error', onLoss).off('close', onLoss);
        socket.on('error', () => {});
        resolve(socket);
      };
      signal.addEventListener('abort', onAbort);
      socket.on('data', onData).on('error', onLoss).on('close', onLoss);
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${this.#authorization}\r\n`);
      if (signal.aborted) onAbort();
    });
  }

  #connect(): Socket {
    const { protocol, hostname, port } = this.#url;
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    if (protocol === 'http:') return connectTcp({ host, port: Number(port || 80) });
    return connectTls({ host, port: Number(port || 443), servername: host.includes(':') || /^[\d.]+$/.test(host) ? '' : host });
  }
}
