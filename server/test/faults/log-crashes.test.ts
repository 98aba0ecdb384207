import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LogReader } from '../support/log.ts';
import { countOf, runSequencer, Witness } from '../support/sequencers.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const ROUNDS = 100;
/** The extra steps of a sequencer after a killed one: it compares with an older checkpoint, from tiles. */
const MORE_STEPS = 30;

let service: TestService;
let acme: TestBusiness;
let witness: Witness;
const hashes: string[] = [];
beforeAll(async () => {
  // Runs without a worker, so that only the sequencers of the test change the log.
  service = await startTestService({}, 'api');
  acme = await service.business('acme');
  await service.business('globex');
  witness = new Witness(service);
});
afterAll(() => service.stop());

async function send(count: number): Promise<void> {
  const sent = await Promise.all(Array.from({ length: count }, (_, n) => acme.api.send({ to: 'globex', json: { n, at: hashes.length } })));
  for (const { status, body } of sent) {
    expect(status).toBe(201);
    hashes.push(body.content_hash);
  }
}

/** Every 201 is in the log exactly once, and no checkpoint contradicts another one. */
async function expectWhole(): Promise<void> {
  await runSequencer(service);
  witness.look();
  const leaves = await new LogReader(service.url).until(hashes);
  for (const hash of hashes) expect(countOf(leaves, hash)).toBe(1);
  expect(leaves).toHaveLength(hashes.length);
  await witness.verify();
}

describe('the log', () => {
  test(`has every message once after its sequencer was killed -9 at every step, ${ROUNDS} times in all`, async () => {
    await send(300);
    await runSequencer(service);
    witness.look();
    await send(1);
    const steps = (await runSequencer(service)) ?? 0;
    witness.look();
    expect(steps).toBeGreaterThan(20);
    let [killed, killedAfterPublishing] = [0, 0];
    for (let round = 0; killed < ROUNDS; round++) {
      await send(randomInt(1, 8));
      // Sometimes enough messages for a full tile.
      if (round % 25 === 24) await send(200);
      const isKilled = (await runSequencer(service, { killAt: 1 + (round % (steps + MORE_STEPS)) })) === undefined;
      const before = witness.seen.length;
      witness.look();
      if (isKilled) killed++;
      if (isKilled && witness.seen.length > before) killedAfterPublishing++;
    }
    await expectWhole();
    // Otherwise no process was killed between publishing and recording.
    expect(killedAfterPublishing).toBeGreaterThan(0);
  });

  test.each([
    ['with the lock', false],
    ['after they have lost the lock', true],
  ])('has every message once when several sequencers work at once, %s', async (_, hasNoLock) => {
    for (let round = 0; round < 3; round++) {
      const others = [1, 2, 3].map(() => runSequencer(service, { hasNoLock, rounds: 5 }).catch(ifOvertaken));
      for (let n = 0; n < 5; n++) {
        await send(20);
        witness.look();
      }
      await Promise.all(others);
      witness.look();
    }
    await expectWhole();
  });

  test('goes on when the clock of the database or of the process is set back', async () => {
    await service.sql(`SELECT log_leaves('\\x01'::bytea || sha256('earlier'), now() - interval '1 hour')`);
    const [row] = await service.sql<{ hash: Buffer }>(`SELECT sha256('earlier') AS hash`);
    const rows = await service.sql(`SELECT 1 FROM log_batches WHERE first_index IS NULL`);
    for (const _ of rows) hashes.push(`sha256:${row?.hash.toString('hex')}`);
    await send(3);
    await runSequencer(service, { clockMs: -3_600_000 });
    witness.look();
    const leaves = await new LogReader(service.url).until(hashes);
    expect(leaves).toHaveLength(hashes.length);
    await witness.verify();
  });
});

/** A sequencer that another has overtaken may fail, but must not have changed anything. */
function ifOvertaken(error: Error): undefined {
  if (!/somebody else|deadlock|does not lead to its root|does not fit/.test(error.message)) throw error;
}
