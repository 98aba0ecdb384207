import { formatId, type IdPrefix, parseId } from '../../contract/ids.ts';
import type { Caller } from '../../contract/parties.ts';

export const WORKER_KINDS = ['person', 'agent'] as const;

/** A person or an agent that works for a business. */
export interface Worker {
  kind: (typeof WORKER_KINDS)[number];
  /** A uuid. */
  id: string;
}

export interface NamedWorker extends Worker {
  name: string;
}

const PREFIXES = { person: 'usr', agent: 'agt' } as const satisfies Record<Worker['kind'], IdPrefix>;

/** Who makes the request. */
export function workerOf({ by }: Caller): NamedWorker {
  return by.kind === 'key'
    ? { kind: 'agent', id: by.agent.id, name: by.agent.name }
    : { kind: 'person', id: by.person.id, name: by.person.name };
}

/** The id of a person or an agent, as the API shows it. */
export function parseWorker(id: string): Worker | undefined {
  for (const kind of WORKER_KINDS) {
    const uuid = parseId(PREFIXES[kind], id);
    if (uuid !== undefined) return { kind, id: uuid };
  }
  return undefined;
}

export function workerView({ kind, id, name }: NamedWorker) {
  return { kind, id: formatId(PREFIXES[kind], id), name };
}
