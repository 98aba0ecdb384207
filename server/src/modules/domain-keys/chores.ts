import type { Logger } from 'pino';
import { isBusiness } from '../../contract/parties.ts';
import { type Chore, inPart } from '../../platform/jobs/jobs.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { type DomainKeyServices, forgetLostDomain, refresh } from './domain-keys.ts';
import { type FileName, filesToCheck, postponeCheck } from './store.ts';

const RECHECK_AFTER_HOURS = 23;
/** Keeps a few servers that do not respond from holding up all other checks. */
const AT_ONCE = 20;

type Services = DomainKeyServices & { parties: PartyDirectory };

/** Each pass takes each file once, in the order of their names. The rest of a pass begins after this one. */
interface Pass {
  after?: { party_id: string; domain: string };
}

export function domainKeyChores(services: Services): Chore<Pass>[] {
  return [
    {
      name: 'check-domain-keys',
      schedule: '41 * * * *',
      run: async (database, log, { after }) => {
        let last: FileName = { partyId: BigInt(after?.party_id ?? 0), domain: after?.domain ?? '' };
        const isUnfinished = await inPart(async () => {
          const files = await filesToCheck(database, last, { hours: RECHECK_AFTER_HOURS, limit: AT_ONCE });
          await Promise.all(files.map((file) => check(services, log, file)));
          last = files.at(-1) ?? last;
          return files.length === AT_ONCE;
        });
        return isUnfinished ? { after: { party_id: `${last.partyId}`, domain: last.domain } } : undefined;
      },
    },
  ];
}

async function check(services: Services, log: Logger, { partyId, domain, isLost }: FileName & { isLost: boolean }): Promise<void> {
  const { database, parties } = services;
  try {
    const party = await parties.byId(partyId);
    if (!party || !isBusiness(party)) return;
    if (isLost) await forgetLostDomain(database, party, domain);
    else await refresh(services, party, domain);
  } catch (error) {
    log.error(error, 'the keys of a domain could not be checked');
    await postponeCheck(database, partyId, domain);
  }
}
