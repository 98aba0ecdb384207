import { createAgent, createKey } from './modules/agents/agents.ts';
import type { PartyDirectory } from './modules/parties/directory.ts';
import type { Database } from './platform/postgres/postgres.ts';

export interface Sample {
  handle: string;
  agents: { name: string; segment: string; key: string }[];
}

const SAMPLES = [
  {
    handle: 'acme',
    displayName: 'Acme Corporation',
    agents: [
      ['Purchasing', 'purchasing'],
      ['Accounts payable', 'accounts'],
    ],
  },
  {
    handle: 'globex',
    displayName: 'Globex',
    agents: [
      ['Order desk', 'orders'],
      ['Billing', 'billing'],
    ],
  },
] as const;

export async function createSamples(database: Database, parties: PartyDirectory): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const { handle, displayName, agents } of SAMPLES) {
    const business = await parties.create(handle, displayName);
    const sample: Sample = { handle, agents: [] };
    for (const [name, segment] of agents) {
      const agent = await createAgent(database, business.id, { name, segment });
      sample.agents.push({ name, segment, key: (await createKey(database, business.id, agent.id, 'read_write')).secret });
    }
    samples.push(sample);
  }
  return samples;
}
