import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';
import { until } from './process.ts';

/** Senders that keep trying, and their results. */
export class Load {
  readonly acknowledged: string[] = [];
  /** Responses that are neither a success nor the 503 of an unreachable database. */
  readonly oddResponses: string[] = [];
  refused = 0;
  #stopped = false;
  readonly #done: Promise<unknown>;

  constructor(api: Api, senders: number) {
    this.#done = Promise.all(Array.from({ length: senders }, () => this.#send(api)));
  }

  async #send(api: Api): Promise<void> {
    while (!this.#stopped) {
      const { status, body, headers, text } = await api.send({ to: 'globex', json: { n: this.acknowledged.length } });
      if (status === 201) this.acknowledged.push(body.id);
      else if (status === 503 && body?.error.code === 'unavailable' && Number(headers.get('retry-after')) > 0) {
        this.refused++;
        await sleep(20);
      } else this.oddResponses.push(`${status} ${text}`);
    }
  }

  async untilAcknowledged(more: number): Promise<void> {
    const wanted = this.acknowledged.length + more;
    await until(() => this.acknowledged.length >= wanted || this.oddResponses.length > 0);
  }

  async untilRefused(): Promise<void> {
    const wanted = this.refused + 1;
    await until(() => this.refused >= wanted || this.oddResponses.length > 0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }
}
