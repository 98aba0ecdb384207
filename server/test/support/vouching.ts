import { newSigningKeyPair } from '@waybill/client';
import { expect } from 'vitest';
import type { MemberApi } from './member.ts';
import { until } from './process.ts';
import type { TestService } from './service.ts';

interface World {
  service: TestService;
  ada: MemberApi;
  /** An agent of ada's business. */
  agentId: string;
}

export const randomKey = async () => (await newSigningKeyPair()).publicKey;

/** What tests do with domains that vouch for the signing keys of ada's business. */
export function vouching(world: () => World) {
  const keysOf = async (domain: string, by = world().ada) => (await by.get(`/domains/${domain}/keys`)).body;

  /** The business may ask again at once. */
  async function fetched(domain: string, by = world().ada) {
    await world().service.sql("UPDATE domain_key_files SET asked_at = now() - interval '1 hour' WHERE domain = $1", [domain]);
    const response = await by.post(`/domains/${domain}/keys/check`);
    expect(response.status, response.text).toBe(200);
    return response.body;
  }

  async function registered(): Promise<string> {
    const publicKey = await randomKey();
    expect((await world().ada.post(`/agents/${world().agentId}/signing-keys`, { public_key: publicKey })).status).toBe(201);
    return publicKey;
  }

  async function domainOf(publicKey: string) {
    const { data } = (await world().ada.get(`/agents/${world().agentId}/signing-keys?limit=200`)).body;
    return data.find(({ public_key }: { public_key: string }) => public_key === publicKey).domain;
  }

  async function statementsOf(domain: string) {
    const select = 'SELECT statement AS text, log_batch FROM domain_key_statements WHERE domain = $1 ORDER BY number';
    const rows = await world().service.sql<{ text: string; log_batch: string }>(select, [domain]);
    return rows.map((row) => ({ ...JSON.parse(row.text), ...row }));
  }

  /** Turns the clock of a file back. */
  const turnBack = (domain: string, column: 'checked_at' | 'missing_since', hours: number) =>
    world().service.sql(`UPDATE domain_key_files SET ${column} = ${column} - make_interval(hours => $2) WHERE domain = $1`, [
      domain,
      hours,
    ]);

  async function runChore(): Promise<void> {
    await world().service.sql("SELECT FROM graphile_worker.add_job('check-domain-keys')");
    await until(
      async () => (await world().service.sql("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'check-domain-keys'")).length === 0,
    );
  }

  async function aDayLater(domain: string): Promise<void> {
    await turnBack(domain, 'checked_at', 24);
    await runChore();
  }

  return { keysOf, fetched, registered, domainOf, statementsOf, turnBack, runChore, aDayLater };
}
