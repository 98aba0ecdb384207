import type { Logger } from 'pino';
import { newUuid } from '../../contract/ids.ts';
import { CHANNELS } from '../../contract/jobs-and-channels.ts';
import type { Announcer } from './announcer.ts';
import type { Connection } from './database-hosts.ts';
import { Listener } from './listener.ts';

/** While somebody waits for a topic, the other processes are notified of that at this interval. */
const TOLD_EVERY_MS = 20_000;
/** After each notification, the other processes announce the topic for this long. */
const TOLD_FOR_MS = 60_000;

interface Awaited {
  wakes: Set<() => void>;
  toldAt: number;
}

/**
 * Wakes those who wait for a topic, in any process. A process notifies the others of the topics it waits for, and only these are announced:
 * a topic that nobody waits for costs two look-ups in empty maps. A NOTIFY can get lost, and a process may not know yet that another one
 * waits, so those who wait must also sweep.
 */
export class Topics {
  readonly #announcer: Announcer;
  readonly #listener: Listener;
  readonly #process = newUuid().slice(-12);
  readonly #here = new Map<string, Awaited>();
  /** The topics that other processes wait for, and until when this process announces them. */
  readonly #elsewhere = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(announcer: Announcer, connection: Connection, log: Logger) {
    this.#announcer = announcer;
    this.#listener = new Listener(
      connection,
      {
        channel: CHANNELS.topics,
        applicationName: 'waybill topics',
        onPayload: (payload) => this.#receive(payload),
        onInterruption: () => {},
        lossMeans: 'those who wait for messages get them up to a second late until it is back',
      },
      log,
    );
  }

  async start(): Promise<void> {
    await this.#listener.start();
    this.#timer = setInterval(() => this.#renew(), TOLD_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#listener.stop();
  }

  get isQuiet(): boolean {
    return this.#here.size === 0 && this.#elsewhere.size === 0;
  }

  /** Calls `wake` at each event of the topic, until the returned function is called. Topics have no comma. */
  await(topic: string, wake: () => void): () => void {
    const now = performance.now();
    const awaited = this.#here.get(topic) ?? { wakes: new Set(), toldAt: Number.NEGATIVE_INFINITY };
    this.#here.set(topic, awaited);
    awaited.wakes.add(wake);
    if (now - awaited.toldAt >= TOLD_EVERY_MS) this.#tellOthers(topic, awaited, now);
    // The topic stays for a while, so that a client that waits repeatedly is announced once.
    return () => awaited.wakes.delete(wake);
  }

  /** Announces an event of the topic. Call it after the commit. */
  tell(topic: string): void {
    this.#wake(topic);
    const until = this.#elsewhere.get(topic);
    if (until === undefined) return;
    if (until < performance.now()) this.#elsewhere.delete(topic);
    else this.#announce('tells', topic);
  }

  #wake(topic: string): void {
    for (const wake of this.#here.get(topic)?.wakes ?? []) wake();
  }

  #announce(what: 'awaits' | 'tells', topic: string): void {
    this.#announcer.announce(CHANNELS.topics, `${what} ${this.#process} ${topic}`);
  }

  #receive(payload: string): void {
    for (const name of payload.split(',')) {
      const [what, by, topic] = name.split(' ');
      if (topic === undefined || by === this.#process) continue;
      if (what === 'tells') this.#wake(topic);
      else this.#elsewhere.set(topic, performance.now() + TOLD_FOR_MS);
    }
  }

  #tellOthers(topic: string, awaited: Awaited, now: number): void {
    awaited.toldAt = now;
    this.#announce('awaits', topic);
  }

  #renew(): void {
    const now = performance.now();
    for (const [topic, until] of this.#elsewhere) if (until < now) this.#elsewhere.delete(topic);
    for (const [topic, awaited] of this.#here) {
      if (awaited.wakes.size > 0) this.#tellOthers(topic, awaited, now);
      else if (now - awaited.toldAt >= TOLD_EVERY_MS) this.#here.delete(topic);
    }
  }
}
