import type { Registry } from 'prom-client';
import type { Config } from './config.ts';
import type { MessageQuotas } from './contract/quotas.ts';
import type { Cursors } from './http/cursor.ts';
import { endpointsFor } from './http/endpoint.ts';
import type { KeyRing } from './modules/agents/key-ring.ts';
import type { Ledger } from './modules/messages/ledger.ts';
import type { PartyDirectory } from './modules/parties/directory.ts';
import type { Database } from './platform/postgres.ts';

/** What every endpoint is given; built once in service.ts. */
export interface Context {
  config: Config;
  database: Database;
  parties: PartyDirectory;
  keys: KeyRing;
  ledger: Ledger;
  quotas: MessageQuotas;
  cursors: Cursors;
  metrics: Registry;
  /** Without a slash at the end. Known only once the server listens, when the port is any free one. */
  publicUrl: string;
  inboundDomain: string;
}

export const { endpoint, publicEndpoint } = endpointsFor<Context>();
