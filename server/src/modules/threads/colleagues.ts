import { formatId, type IdPrefix, parseId } from '../../contract/ids.ts';
import type { Caller } from '../../contract/parties.ts';

export const COLLEAGUE_KINDS = ['person', 'agent'] as const;

export interface Colleague {
  kind: (typeof COLLEAGUE_KINDS)[number];
  id: string;
}

export interface NamedColleague extends Colleague {
  name: string;
}

const PREFIXES = { person: 'usr', agent: 'agt' } as const satisfies Record<Colleague['kind'], IdPrefix>;

export function colleagueOf({ by }: Caller): NamedColleague {
  return by.kind === 'key'
    ? { kind: 'agent', id: by.agent.id, name: by.agent.name }
    : { kind: 'person', id: by.person.id, name: by.person.name };
}

export function parseColleague(id: string): Colleague | undefined {
  for (const kind of COLLEAGUE_KINDS) {
    const uuid = parseId(PREFIXES[kind], id);
    if (uuid !== undefined) return { kind, id: uuid };
  }
  return undefined;
}

export function colleagueView({ kind, id, name }: NamedColleague) {
  return { kind, id: formatId(PREFIXES[kind], id), name };
}
