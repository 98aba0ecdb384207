import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LeaseQueue, LOOKS_MAX, type Waiter } from '../../src/modules/consumers/lease-queue.ts';
import type { Leased, LeasedMessage } from '../../src/modules/consumers/lease-store.ts';

const NOTHING: Leased = { messages: [], leaseUntil: new Date(), hasMore: false, dueInMs: undefined };
const message = (position: string): LeasedMessage => ({ messageId: position, senderId: '1', position, bytes: 1, tries: 1 });
const leasedOf = (...positions: string[]): Leased => ({ ...NOTHING, messages: positions.map(message) });

/** A queue whose looks end when the test says so. */
class Stage {
  readonly looks: { holder: string; end(leased: Leased): void; fail(error: Error): void }[] = [];
  readonly back: string[] = [];
  readonly given = new Map<string, Leased | Error>();
  wake = () => {};
  isClosed = false;
  readonly queue = new LeaseQueue(
    {
      lease: ({ holder }) => new Promise((end, fail) => this.looks.push({ holder, end, fail })),
      giveBack: async (_, { messages }) => void this.back.push(...messages.map(({ messageId }) => messageId)),
    },
    (wake) => {
      this.wake = wake;
      return () => {
        this.isClosed = true;
      };
    },
  );

  add(holder: string): Waiter {
    const settle = (outcome: Leased | Error) => {
      const isWaiting = this.queue.delete(waiter);
      if (isWaiting) this.given.set(holder, outcome);
      return isWaiting;
    };
    const waiter: Waiter = {
      wanted: { holder, limit: 1, leaseS: 1 },
      looks: 0,
      end: settle,
      fail: (error) => void settle(error as Error),
    };
    this.queue.add(waiter);
    return waiter;
  }

  /** Ends the only look under way. */
  async end(leased: Leased): Promise<void> {
    expect(this.looks).toHaveLength(1);
    this.looks.shift()?.end(leased);
    await settled();
  }

  get looking(): string[] {
    return this.looks.map(({ holder }) => holder);
  }
}

async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await turn();
}

const pass = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
};

let stage: Stage;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  stage = new Stage();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a queue of leases', () => {
  test('looks for one request at a time, in their order, as long as there are messages', async () => {
    for (const holder of ['a', 'b', 'c']) stage.add(holder);
    expect(stage.looking).toEqual(['a']);
    await stage.end(leasedOf('1'));
    await stage.end(leasedOf('2'));
    expect(stage.given).toEqual(
      new Map([
        ['a', leasedOf('1')],
        ['b', leasedOf('2')],
      ]),
    );
    expect(stage.looking).toEqual(['c']);
    await stage.end(NOTHING);
    await pass(60_000);
    expect(stage.looking).toEqual([]);
    expect(stage.given.has('c')).toBe(false);
  });

  test('does not look for those who come while there is nothing, until something comes', async () => {
    stage.add('a');
    await stage.end(NOTHING);
    stage.add('b');
    await pass(1_000);
    expect(stage.looking).toEqual([]);
    stage.wake();
    expect(stage.looking).toEqual(['a']);
  });

  test('looks again if something came during a look that found nothing', async () => {
    stage.add('a');
    stage.wake();
    await stage.end(NOTHING);
    expect(stage.looking).toEqual([]);
    await pass(20);
    expect(stage.looking).toEqual(['a']);
  });

  test('looks when a lease lapses or a delay ends', async () => {
    stage.add('a');
    await stage.end({ ...NOTHING, dueInMs: 5_000 });
    await pass(4_000);
    expect(stage.looking).toEqual([]);
    await pass(1_100);
    expect(stage.looking).toEqual(['a']);
  });

  test('gives back what comes for a request that has ended, to the next one', async () => {
    const gone = stage.add('a');
    stage.add('b');
    gone.end(NOTHING);
    await stage.end(leasedOf('1'));
    expect(stage.back).toEqual(['1']);
    expect(stage.looking).toEqual(['b']);
  });

  test('fails the request whose look fails, and goes on', async () => {
    stage.add('a');
    stage.add('b');
    stage.looks.shift()?.fail(new Error('unavailable'));
    await settled();
    expect(stage.given.get('a')).toEqual(new Error('unavailable'));
    expect(stage.looking).toEqual(['b']);
  });

  test('lets a request read so much of the ledger, and then ends it', async () => {
    stage.add('a');
    for (let i = 1; i < LOOKS_MAX; i++) await stage.end({ ...NOTHING, hasMore: true });
    expect(stage.given.size).toBe(0);
    await stage.end({ ...NOTHING, hasMore: true });
    expect(stage.given.get('a')?.valueOf()).toMatchObject({ messages: [] });
    expect(stage.looking).toEqual([]);
  });

  test('ends all at once, and stops listening when it is closed', async () => {
    for (const holder of ['a', 'b']) stage.add(holder);
    stage.queue.endAll(NOTHING);
    expect([...stage.given.keys()]).toEqual(['a', 'b']);
    stage.queue.close();
    expect(stage.isClosed).toBe(true);
  });
});
