import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Authority, type AuthoritySettings } from '../../../packages/proof/test/support/authority.ts';

/** A timestamp authority of OpenSSL that is asked by HTTP, and its list of revoked certificates at the address that its certificates name. */
export class AuthorityServer {
  readonly authority: Authority;
  readonly url: string;
  /** Requests for timestamps so far. */
  stamped = 0;
  /** Responds to requests for the list. */
  giveList: (response: http.ServerResponse) => void = (response) => response.end(this.authority.list());
  readonly #server: http.Server;

  private constructor(server: http.Server, settings: AuthoritySettings) {
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.authority = new Authority({
      key: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
      hasChain: true,
      listUrl: `${this.url}/root.crl`,
      ...settings,
    });
    this.#server = server.on('request', async (request: http.IncomingMessage, response: http.ServerResponse) => {
      if (request.url === '/root.crl') return this.giveList(response);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      this.stamped++;
      response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(this.authority.reply(Buffer.concat(chunks)));
    });
  }

  static async start(settings: AuthoritySettings = {}): Promise<AuthorityServer> {
    const server = http.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new AuthorityServer(server, settings);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    this.authority.close();
  }
}
