import { pino } from 'pino';
import type { KeyScope } from '../../src/contract/api-key.ts';
import { formatId, parseId } from '../../src/contract/ids.ts';
import type { Business } from '../../src/contract/parties.ts';
import { businessOfAgent, businessOfKey, createAgent, createKey, revokeKey } from '../../src/modules/agents/agents.ts';
import { vouchForDomain } from '../../src/modules/domains/domains.ts';
import { PartyDirectory } from '../../src/modules/parties/directory.ts';
import { ChangeFeed } from '../../src/platform/postgres/change-feed.ts';
import { Database } from '../../src/platform/postgres/postgres.ts';
import type { TestService } from './service.ts';

const log = pino({ level: 'fatal' });

/** Runs the operator's commands on separate connections. */
export class Operator {
  readonly #database: Database;
  readonly #parties: PartyDirectory;

  constructor({ databaseUrl }: TestService) {
    const connection = { connectionString: databaseUrl };
    this.#database = new Database(connection, log);
    this.#parties = new PartyDirectory(this.#database, new ChangeFeed(connection, log));
  }

  async addAgent(handle: string, name: string, segment?: string): Promise<string> {
    const [party] = await this.#database.queryText<{ id: string }>('SELECT id FROM parties WHERE handle = $1', [handle]);
    const agent = await createAgent(this.#database, BigInt(party?.id ?? 0), { name, segment });
    return formatId('agt', agent.id);
  }

  async addKey(agentId: string, scope: KeyScope): Promise<{ id: string; secret: string }> {
    const agent = parseId('agt', agentId) as string;
    const { id, secret } = await createKey(this.#database, await businessOfAgent(this.#database, agent), agent, scope);
    return { id: formatId('key', id), secret };
  }

  async revoke(keyId: string): Promise<void> {
    const id = parseId('key', keyId) as string;
    await revokeKey(this.#database, await businessOfKey(this.#database, id), id);
  }

  /** Creates a business without an agent, which others write to or find. */
  async addBusiness(handle: string, name: string): Promise<void> {
    await this.#parties.create(handle, name);
  }

  async verifyDomain(handle: string, domain: string): Promise<void> {
    await vouchForDomain({ parties: this.#parties }, (await this.#parties.byHandle(handle)) as Business, domain);
  }

  async removeDomain(handle: string, domain: string): Promise<void> {
    await this.#parties.removeDomain((await this.#parties.byHandle(handle)) as Business, domain);
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
