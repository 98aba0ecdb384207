import { promises as dns } from 'node:dns';

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

  /** The texts at a name; undefined when it can't be found out now. */
  async textsAt(name: string): Promise<string[] | undefined> {
    const resolver = new dns.Resolver({ timeout: PATIENCE_MS, tries: TRIES });
    if (this.#servers.length > 0) resolver.setServers(this.#servers);
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    } catch (error) {
      return NOTHING.has((error as NodeJS.ErrnoException).code ?? '') ? [] : undefined;
    }
  }
}
