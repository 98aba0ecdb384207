import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilSearchable } from '../support/search.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;
let umbrella: TestBusiness;
beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
  [acme, umbrella] = [await service.business('acme'), await service.business('umbrella')];
});
afterAll(() => service.stop());

async function received(note: string): Promise<string> {
  const { body } = await acme.api.send({ to: 'umbrella', note });
  await untilSearchable(service);
  return body.id;
}

/** Adds documents on top of the others. The ledger has no entries for them, so they are scanned but never shown. */
async function pile(words: string, count: number): Promise<void> {
  await service.sql(
    `INSERT INTO search_documents (party_id, position, id, box, thread_id, words)
     SELECT p.id, d.position + n, gen_random_uuid(), 'in', gen_random_uuid(), $1 FROM parties p, generate_series(1, $2) n,
            (SELECT party_id, max(position) AS position FROM search_documents GROUP BY 1) d WHERE p.handle = 'umbrella' AND d.party_id = p.id`,
    [words, count],
  );
}

const idsIn = ({ data }: { data: { message: { id: string } }[] }) => data.map(({ message }) => message.id);
const PILES_MAX = 8;

/** Piles documents up until the word index takes too long, however fast the machine is. */
async function searchSlowly(): Promise<{ newest: string; first: number; body: Awaited<ReturnType<typeof umbrella.api.get>>['body'] }> {
  for (let piles = 1; ; piles++) {
    await pile(' thimble ', 300_000);
    const newest = await received('thimble near the top');
    await pile(' hay ', 1_000);
    const begun = performance.now();
    const { status, text, body } = await umbrella.api.get('/search?q=thimble');
    expect(status, text).toBe(200);
    if (body.next_cursor !== null || piles === PILES_MAX) return { newest, first: performance.now() - begun, body };
  }
}

test('a search for which the index of words takes too long goes through the newest messages instead, and does so at once the next time', async () => {
  const oldest = await received('thimble at the bottom');
  const { newest, first, body } = await searchSlowly();
  // The word index finds both and has no next page. A scan finds the newest one.
  expect(idsIn(body)).toEqual([newest]);
  expect(body.next_cursor).not.toBeNull();

  const startedAt = performance.now();
  const again = await umbrella.api.get('/search?q=thimble');
  expect(performance.now() - startedAt).toBeLessThan(first);
  expect(again.body.data).toEqual(body.data);

  // Another search of the same business is not affected, and further pages work.
  const rare = await umbrella.api.get('/search?q=thimble+bottom');
  expect(idsIn(rare.body)).toEqual([oldest]);
  const next = await umbrella.api.get(`/search?q=thimble&cursor=${encodeURIComponent(body.next_cursor)}`);
  expect(next.body).toMatchObject({ data: [], next_cursor: expect.any(String) });
});
