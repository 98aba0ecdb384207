import { isBusiness } from '../../contract/parties.ts';
import type { Chore } from '../../platform/jobs.ts';
import { type DomainServices, hasRecord } from './domains.ts';
import { domainsToRecheck, noteCheck } from './store.ts';

const RECHECK_AFTER_HOURS = 23;
/** Name servers have bad days: a domain is lost only when its text has been gone for so long. */
const GRACE_HOURS = 72;
const AT_ONCE = 1_000;

/** `lost` is told of each domain that no longer belongs to its business. */
export function domainChores(services: DomainServices, lost: (partyId: bigint, domain: string) => Promise<void>): Chore[] {
  return [
    {
      name: 'recheck-domains',
      schedule: '23 * * * *',
      run: async (database, log) => {
        for (const { partyId, domain, token, isOverdue } of await domainsToRecheck(database, RECHECK_AFTER_HOURS, GRACE_HOURS, AT_ONCE)) {
          const isThere = await hasRecord(services, domain, token);
          if (isThere === undefined) continue;
          await noteCheck(database, partyId, domain, isThere);
          if (isThere || !isOverdue) continue;
          const business = await services.parties.byId(partyId);
          if (!business || !isBusiness(business)) continue;
          await services.parties.removeDomain(business, domain);
          await lost(partyId, domain);
          log.info({ domain, handle: business.handle }, 'a domain no longer names its business');
        }
      },
    },
  ];
}
