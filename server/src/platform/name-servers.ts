import { promises as dns } from 'node:dns';
import { codeOf } from '../contract/thrown.ts';

const PATIENCE_MS = 2_000;
const TRIES = 2;

/** What a name server says when it knows that there is nothing. */
const NOTHING = new Set(['ENOTFOUND', 'ENODATA']);

/** Those that the operator chose, or the system's. Names are looked up anew each time. */
export class NameServers {
  readonly #servers: readonly string[];

  constructor(servers: readonly string[]) {
    this.#servers = servers;
  }

  ipv4Of(host: string): Promise<string[] | undefined> {
    return answered(this.newResolver().resolve4(host));
  }

  ipv6Of(host: string): Promise<string[] | undefined> {
    return answered(this.newResolver().resolve6(host));
  }

  /** The texts at a name; undefined when it can't be found out now. */
  async textsAt(name: string): Promise<string[] | undefined> {
    return (await answered(this.newResolver().resolveTxt(name)))?.map((parts) => parts.join(''));
  }

  /** A new one each time: one that has had quick answers would soon give up on slow ones, whatever its patience. */
  newResolver(): dns.Resolver {
    const resolver = new dns.Resolver({ timeout: PATIENCE_MS, tries: TRIES });
    if (this.#servers.length > 0) resolver.setServers(this.#servers);
    return resolver;
  }
}

/** Undefined when it can't be found out now. */
async function answered<T>(looking: Promise<T[]>): Promise<T[] | undefined> {
  try {
    return await looking;
  } catch (error) {
    return NOTHING.has(codeOf(error) ?? '') ? [] : undefined;
  }
}
