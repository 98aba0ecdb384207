import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isRecord } from '../../contract/records.ts';
import { codeOf, messageOf } from '../../contract/thrown.ts';
import { Exchange, type OnResponse, type Response, UnusableResponse } from './exchange.ts';
import type { NameServers } from './name-servers.ts';
import { OutboundProxy, ProxyFailure } from './outbound-proxy.ts';
import { isPublicAddress } from './public-address.ts';

export class ForbiddenDestination extends Error {}

const KEEP_ALIVE_MS = 4_000;
const DESTINATIONS_MAX = 4_000;

interface Destination {
  origin: string;
  path: string;
}

interface OutboundSettings {
  privateHosts: readonly string[];
  nameServers: NameServers;
  /** The limit of the whole request: DNS look-up, connection, TLS, request and response. */
  patienceMs: number;
  proxy: string | undefined;
  /** The client certificate as PEM, which only receivers get that ask for it and may see it. */
  clientCert: string | undefined;
  clientKey: string | undefined;
}

/**
 * Sends requests to destinations that strangers chose. They reach public addresses only. This is checked when the connection is made, on the very
 * addresses that are used (against DNS rebinding). Hosts that the operator has declared private are exempt.
 */
export class Outbound {
  readonly #privateHosts: ReadonlySet<string>;
  readonly #nameServers: NameServers;
  readonly #agent: Agent;
  /** Shows the client certificate. It is a separate agent, so that connections with and without the certificate are never shared. */
  readonly #identified: Agent;
  readonly #patienceMs: number;
  /** A cache of parsed, allowed URLs: parsing one costs as much as the rest of a request in this class. */
  readonly #destinations = new Map<string, Destination>();

  constructor({ privateHosts, nameServers, patienceMs, proxy, clientCert, clientKey }: OutboundSettings) {
    this.#privateHosts = new Set(privateHosts.map((host) => bare(new URL(`http://${isIP(host) === 6 ? `[${host}]` : host}`))));
    this.#nameServers = nameServers;
    this.#patienceMs = patienceMs;
    this.#agent = this.#agentWith({}, proxy);
    this.#identified = clientCert === undefined ? this.#agent : this.#agentWith({ cert: clientCert, key: clientKey }, proxy);
  }

  #agentWith(identity: { cert?: string; key?: string | undefined }, proxy: string | undefined): Agent {
    const connect = buildConnector({ allowH2: false, timeout: this.#patienceMs, lookup: this.#lookup, ...identity });
    const tunnel = proxy === undefined ? connect : this.#through(new OutboundProxy(proxy), connect);
    return new Agent({
      allowH2: false,
      // Exchange limits the time of the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: (options, callback) => {
        const problem = this.#literalProblem(options.hostname);
        if (problem !== undefined) callback(new ForbiddenDestination(problem), null);
        else if (this.#privateHosts.has(options.hostname)) connect(options, callback);
        else tunnel(options, callback);
      },
    });
  }

  /** Private hosts are reached without the proxy. */
  #through(proxy: OutboundProxy, connect: buildConnector.connector): buildConnector.connector {
    const open = async ({ hostname, port, protocol }: buildConnector.Options) => {
      const signal = AbortSignal.timeout(this.#patienceMs);
      const addresses = isIP(hostname) === 0 ? await this.#publicAddressesOf(hostname) : [{ address: hostname }];
      return proxy.open(
        addresses.map(({ address }) => address),
        Number(port || (protocol === 'http:' ? 80 : 443)),
        signal,
      );
    };
    return (options, callback) => {
      open(options).then(
        (socket) => (options.protocol === 'http:' ? callback(null, socket) : connect({ ...options, httpSocket: socket }, callback)),
        (error) => callback(error, null),
      );
    };
  }

  /** Refuses a URL whose form or present addresses are not allowed. Each connection checks the addresses again. */
  async check(text: string): Promise<void> {
    const url = this.parse(text);
    // The URL parser drops control characters, so the URL that is called would differ from the one that is shown.
    if (/\p{Cc}/u.test(text)) throw new ForbiddenDestination('It must not contain control characters.');
    const host = bare(url);
    if (this.#privateHosts.has(host)) return;
    if (isIP(host) === 0) await this.#publicAddressesOf(host);
  }

  parse(text: string, protocols: readonly string[] = ['https:']): URL {
    if (!URL.canParse(text)) throw new ForbiddenDestination('It is not a URL.');
    const url = new URL(text);
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new ForbiddenDestination('It must begin with https://.');
    if (url.username !== '' || url.password !== '') throw new ForbiddenDestination('It must not contain a user name or password.');
    const host = bare(url);
    if (this.#privateHosts.has(host)) return url;
    if (!protocols.includes(url.protocol)) throw new ForbiddenDestination('It must begin with https://.');
    const problem = this.#literalProblem(host) ?? nameProblem(host);
    if (problem !== undefined) throw new ForbiddenDestination(problem);
    return url;
  }

  /** Posts without following redirects, and reads the response's body to its end or limit. Always calls `onResponse`. */
  post(
    { url, showsCertificate }: { url: string; showsCertificate: boolean },
    headers: Record<string, string>,
    body: Buffer,
    onResponse: OnResponse,
  ): Exchange {
    const exchange = new Exchange(this.#patienceMs, onResponse);
    try {
      const { origin, path } = this.#destinationOf(url);
      (showsCertificate ? this.#identified : this.#agent).dispatch({ origin, path, method: 'POST', headers, body }, exchange);
    } catch (error) {
      exchange.cancel(error as Error);
    }
    return exchange;
  }

  /** Gets a file without following redirects, and reads it to its end or limit. Rejects if there is no response. */
  get(url: string, maxBytes: number): Promise<Response> {
    return this.#get(() => this.#destinationOf(url), maxBytes, 'application/json');
  }

  /** The same, also by plain HTTP: for files that are signed. */
  getFile(url: string, maxBytes: number, signal: AbortSignal): Promise<Response> {
    return this.#get(() => destinationIn(this.parse(url, ['https:', 'http:'])), maxBytes, '*/*', signal);
  }

  #get(destination: () => Destination, maxBytes: number, accept: string, signal?: AbortSignal): Promise<Response> {
    return new Promise((resolve, reject) => {
      const giveUp = () => exchange.cancel(new UnusableResponse('no complete response in time'));
      const onResponse: OnResponse = (response) => {
        signal?.removeEventListener('abort', giveUp);
        if (response instanceof Error) reject(response);
        else resolve(response);
      };
      const exchange = new Exchange(this.#patienceMs, onResponse, maxBytes);
      signal?.addEventListener('abort', giveUp);
      try {
        signal?.throwIfAborted();
        this.#agent.dispatch({ ...destination(), method: 'GET', headers: { accept } }, exchange);
      } catch (error) {
        exchange.cancel(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  isPrivate(text: string): boolean {
    const url = URL.parse(text);
    return url !== null && this.#privateHosts.has(bare(url));
  }

  async stop(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#identified.destroy()]);
  }

  #destinationOf(text: string): Destination {
    const known = this.#destinations.get(text);
    if (known) return known;
    const destination = destinationIn(this.parse(text));
    if (this.#destinations.size >= DESTINATIONS_MAX) this.#destinations.clear();
    this.#destinations.set(text, destination);
    return destination;
  }

  #literalProblem(host: string): string | undefined {
    if (isIP(host) === 0 || this.#privateHosts.has(host) || isPublicAddress(host)) return undefined;
    return `${host} is not a public address.`;
  }

  readonly #lookup: LookupFunction = (host, options, callback) => {
    this.#addressesOf(host).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all || first === undefined) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };

  #addressesOf(host: string): Promise<LookupAddress[]> {
    // The system's resolver knows the names of its network. It serves only the operator's hosts, because slow names would block its few threads.
    return this.#privateHosts.has(host) ? dns.lookup(host, { all: true }) : this.#publicAddressesOf(host);
  }

  async #publicAddressesOf(host: string): Promise<LookupAddress[]> {
    const [ipv4, ipv6] = await Promise.all([this.#nameServers.ipv4Of(host), this.#nameServers.ipv6Of(host)]);
    const addresses = [
      ...(ipv4 ?? []).map((address) => ({ address, family: 4 })),
      ...(ipv6 ?? []).map((address) => ({ address, family: 6 })),
    ];
    if (addresses.length === 0) {
      const isKnown = ipv4 !== undefined && ipv6 !== undefined;
      throw new ForbiddenDestination(`The host ${host} ${isKnown ? 'has no address' : 'could not be looked up'}.`);
    }
    for (const { address } of addresses)
      if (!isPublicAddress(address)) throw new ForbiddenDestination(`The host ${host} has an address that is not public.`);
    return addresses;
  }
}

function destinationIn({ origin, pathname, search }: URL): Destination {
  return { origin, path: `${pathname}${search}` };
}

function bare({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function nameProblem(host: string): string | undefined {
  if (host.endsWith('.')) return 'The host must not end with a dot.';
  return isIP(host) !== 0 || host.includes('.') ? undefined : 'The host must be a full domain name.';
}

/** Says why there was no response, in words for the people who run the receiver. */
export function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenDestination || error instanceof UnusableResponse || error instanceof ProxyFailure) return error.message;
  // If a host has several addresses, the first failure speaks for all.
  const cause: unknown = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  const code = codeOf(cause);
  const message = messageOf(cause);
  if (message === 'bad response' || message === 'bad upgrade') return 'responded with 100 or 101, which was not asked for';
  const known = code === undefined ? undefined : REASONS[code];
  if (known !== undefined) return known;
  // The internals of OpenSSL and the options of Node.js are left out.
  if (code !== undefined && /CERT|TLS|SSL|UNABLE_TO|SIGNATURE/.test(code))
    return `the certificate or TLS was not accepted: ${(isRecord(cause) && typeof cause['reason'] === 'string' ? cause['reason'] : message).replace(/;.*/s, '')}`;
  return cause instanceof Error && cause.name === 'HTTPParserError' ? 'the response was not HTTP' : message;
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset before a complete response',
  EPIPE: 'connection closed before a complete response',
  UND_ERR_SOCKET: 'connection closed before a complete response',
  ETIMEDOUT: 'no connection',
  UND_ERR_CONNECT_TIMEOUT: 'no connection',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'the host has no address',
  EAI_AGAIN: 'the host could not be looked up',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the response are too large',
};
