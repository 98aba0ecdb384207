import type { ServerResponse } from 'node:http';
import { type ConnectProxy, startConnectProxy } from './connect-proxy.ts';
import { verified } from './domain-records.ts';
import type { MemberApi } from './member.ts';
import { type NameServer, startNameServer } from './name-server.ts';
import { authority, type Receiver, startReceiver } from './receiver.ts';

const ADDRESS = '93.184.216.34';
const PATH = '/.well-known/waybill-keys.json';

type Respond = (response: ServerResponse) => void;

/** Domains, each with a file of keys, on one real HTTPS server, which the service reaches at a public address. */
export interface KeyDomains {
  /** Settings of the service. */
  settings: Record<string, string>;
  names: NameServer;
  proxy: ConnectProxy;
  /** Makes the domain one of the business. Its server responds with 404 until something is published. */
  claim(by: MemberApi, domain: string): Promise<{ name: string; value: string }>;
  /** The name leads to the server. */
  serve(domain: string): void;
  /** Undefined: there is no file. */
  publish(domain: string, file: string | Respond | undefined): void;
  /** Publishes these keys of handles. */
  vouch(domain: string, handles: Record<string, unknown>): void;
  /** How often the file was fetched. */
  fetches(domain: string): number;
  stop(): Promise<void>;
}

export async function startKeyDomains(hosts = '*.keys.test'): Promise<KeyDomains> {
  const names = await startNameServer();
  const receiver: Receiver = await startReceiver({ identity: authority.issue([hosts]) });
  const proxy = await startConnectProxy();
  proxy.ports.set(`${ADDRESS}:443`, receiver.port);
  const files = new Map<string, string | Respond>();
  receiver.respond = ({ headers, path, method }, response) => {
    const file = method === 'GET' && path === PATH ? files.get(headers.host ?? '') : undefined;
    if (file === undefined) response.writeHead(404).end('nothing');
    else if (typeof file === 'string') response.writeHead(200, { 'content-type': 'application/json' }).end(file);
    else file(response);
  };
  const publish: KeyDomains['publish'] = (domain, file) => {
    if (file === undefined) files.delete(domain);
    else files.set(domain, file);
  };
  const serve = (domain: string) => names.set(domain, [ADDRESS]);
  return {
    settings: { DNS_SERVERS: names.address, OUTBOUND_PROXY: proxy.url },
    names,
    proxy,
    claim: async (by, domain) => {
      const record = await verified(by, names, domain);
      serve(domain);
      return record;
    },
    serve,
    publish,
    vouch: (domain, handles) => publish(domain, JSON.stringify({ handles })),
    fetches: (domain) => receiver.deliveries.filter(({ headers }) => headers.host === domain).length,
    stop: async () => {
      await proxy.stop();
      await receiver.stop();
      await names.stop();
    },
  };
}
