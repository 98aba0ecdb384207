import type { Logger } from 'pino';
import { type Chore, inPart } from '../../platform/jobs/jobs.ts';
import { changeCached } from '../../platform/postgres/change-feed.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { type DomainServices, hasRecord } from './domains.ts';
import { type DomainToRecheck, domainsToRecheck, noteCheck } from './store.ts';

const RECHECK_AFTER_HOURS = 23;
/** Name servers fail at times, so a domain is lost only after its record has been missing for this long. */
const GRACE_HOURS = 72;
/** Keeps a few name servers that do not respond from holding up all other checks. */
const AT_ONCE = 20;

/** Called for each domain that a business loses, in the same transaction. */
type Lost = (tx: Queryable, partyId: bigint, domain: string) => Promise<void>;

export function domainChores(services: DomainServices, lost: Lost): Chore[] {
  return [
    {
      name: 'recheck-domains',
      schedule: '23 * * * *',
      run: async (database, log) => {
        const isUnfinished = await inPart(async () => {
          const due = await domainsToRecheck(database, RECHECK_AFTER_HOURS, AT_ONCE);
          await Promise.all(due.map((domain) => recheck(services, lost, log, domain)));
          return due.length === AT_ONCE;
        });
        return isUnfinished ? {} : undefined;
      },
    },
  ];
}

async function recheck(services: DomainServices, lost: Lost, log: Logger, due: DomainToRecheck): Promise<void> {
  const { partyId, domain, token } = due;
  try {
    await check(services, lost, log, due);
  } catch (error) {
    log.error(error, 'the record of a domain could not be checked');
    // Otherwise such domains would always be checked first.
    await noteCheck(services.database, partyId, domain, undefined, token);
  }
}

async function check(services: DomainServices, lost: Lost, log: Logger, { partyId, domain, token }: DomainToRecheck): Promise<void> {
  const isThere = await hasRecord(services, domain, token);
  // The check is recorded even if DNS did not respond. Otherwise such domains would always be checked first.
  const noted = await noteCheck(services.database, partyId, domain, isThere, token);
  if (isThere !== false || noted === undefined || noted.missingHours <= GRACE_HOURS) return;
  const isLost = await changeCached(services.database, partyId, async (tx) => {
    const wasHeld = await services.parties.releaseDomain(tx, partyId, domain);
    if (wasHeld) await lost(tx, partyId, domain);
    return wasHeld;
  });
  if (isLost) log.info({ domain }, 'a domain no longer names its business');
}
