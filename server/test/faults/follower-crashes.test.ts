import { expect, test } from 'vitest';
import { known } from '../support/contacts.ts';
import { wrapFollower, wrongContacts, wrongThreads } from '../support/followed.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { connectionWaitingIn, lockingWith, terminate } from '../support/sql-locks.ts';
import { untilIndexed } from '../support/threads.ts';

const HOLD = 'PERFORM pg_advisory_xact_lock(4711);';
/** The places of a round: before each follower, and between the last one and the commit. */
const STEPS: [string, string, 'before' | 'after'][] = [
  ['the first follower', 'index_threads', 'before'],
  ['the second', 'follow_contacts', 'before'],
  ['the third', 'queue_search_entries', 'before'],
  ['the fourth', 'follow_documents', 'before'],
  ['the commit', 'follow_documents', 'after'],
];
const ROUNDS: ['all' | 'api', string][] = [
  ['all', 'take_new_entries'],
  ['api', 'take_entries_of'],
];

async function expectAllRight(service: TestService): Promise<void> {
  expect(await wrongThreads(service)).toEqual([]);
  expect(await wrongContacts(service)).toEqual([]);
}

test.each(ROUNDS.flatMap(([role, words]) => STEPS.map((step) => [role, words, ...step] as const)))(
  'a round of %s (%s) whose connection ends before %s is done again, and every entry has counted once',
  async (role, words, _name, follower, place) => {
    const service = await startTestService({}, role);
    try {
      const [acme, globex] = [await service.business('acme'), await service.business('globex')];
      const first = (await acme.api.send({ to: 'globex', type: 'order' })).body;
      await known(globex.api, 'acme');
      const hold = await lockingWith(service, 'SELECT pg_advisory_xact_lock(4711)');
      const repair = await wrapFollower(service, follower, ...((place === 'before' ? [HOLD] : ['', HOLD]) as [string]));
      for (const body of [{ in_reply_to: first.id }, { to: 'acme', type: 'invoice' }])
        expect((await globex.api.send(body)).status).toBe(201);
      // Without a worker, somebody who reads contacts follows their own ledger.
      const reading = role === 'api' ? globex.api.get('/contacts') : undefined;
      const connection = await connectionWaitingIn(service, words);
      expect(await service.sql('SELECT FROM contacts WHERE messages_in + messages_out > 1')).toEqual([]);
      await terminate(connection);
      await hold.rollBack();
      await repair();
      await reading;
      expect((await known(globex.api, 'acme')).activity).toMatchObject({ messages_in: 1, messages_out: 2, types: ['invoice', 'order'] });
      expect((await known(acme.api, 'globex')).activity).toMatchObject({ messages_in: 2, messages_out: 1 });
      if (role === 'all') await untilIndexed(service);
      await expectAllRight(service);
    } finally {
      await service.stop();
    }
  },
);
