import { promises as dns } from 'node:dns';
import { codeOf } from '../../contract/thrown.ts';

const PATIENCE_MS = 2_000;
const TRIES = 2;

const NOTHING = new Set(['ENOTFOUND', 'ENODATA']);

/** The name servers that the operator chose, or the system's. Nothing is cached. */
export class NameServers {
  readonly #servers: readonly string[];

  constructor(servers: readonly string[]) {
    this.#servers = servers;
  }

  ipv4Of(host: string): Promise<string[] | undefined> {
    return recordsOf(this.newResolver().resolve4(host));
  }

  ipv6Of(host: string): Promise<string[] | undefined> {
    return recordsOf(this.newResolver().resolve6(host));
  }

  /** Returns the TXT records at a name, or undefined while no name server can tell. */
  async textsAt(name: string): Promise<string[] | undefined> {
    return (await recordsOf(this.newResolver().resolveTxt(name)))?.map((parts) => parts.join(''));
  }

  /** A new resolver each time: after quick DNS responses, a resolver soon gives up on slow ones, whatever its timeout. */
  newResolver(): dns.Resolver {
    const resolver = new dns.Resolver({ timeout: PATIENCE_MS, tries: TRIES });
    if (this.#servers.length > 0) resolver.setServers(this.#servers);
    return resolver;
  }
}

async function recordsOf<T>(query: Promise<T[]>): Promise<T[] | undefined> {
  try {
    return await query;
  } catch (error) {
    return NOTHING.has(codeOf(error) ?? '') ? [] : undefined;
  }
}
