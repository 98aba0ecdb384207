import { pino } from 'pino';
import type { KeyScope } from '../../src/contract/api-key.ts';
import { formatId, parseId } from '../../src/contract/ids.ts';
import { createAgent, createKey, revokeKey } from '../../src/modules/agents/agents.ts';
import { Database } from '../../src/platform/postgres.ts';
import type { TestService } from './service.ts';

/** What the operator does from outside the service, on connections of its own. */
export class Operator {
  readonly #database: Database;

  constructor({ databaseUrl }: TestService) {
    this.#database = new Database({ connectionString: databaseUrl }, pino({ level: 'fatal' }));
  }

  /** Gives the agt_ id. */
  async addAgent(handle: string, name: string, segment?: string): Promise<string> {
    const [party] = await this.#database.query<{ id: string }>('SELECT id FROM parties WHERE handle = $1', [handle]);
    const agent = await createAgent(this.#database, BigInt(party?.id ?? 0), name, segment);
    return formatId('agt', agent.id);
  }

  async addKey(agentId: string, scope: KeyScope): Promise<{ id: string; secret: string }> {
    const { id, secret } = await createKey(this.#database, parseId('agt', agentId) as string, scope);
    return { id: formatId('key', id), secret };
  }

  revoke(keyId: string): Promise<void> {
    return revokeKey(this.#database, parseId('key', keyId) as string);
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
