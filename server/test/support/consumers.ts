import { expect } from 'vitest';
import type { Api, ApiResponse } from './api.ts';

// biome-ignore lint/suspicious/noExplicitAny: what was leased, as it came
export type Leased = any;

/** A consumer as a program uses it. */
export class ConsumerClient {
  readonly api: Api;
  readonly path: string;
  readonly holder: string | undefined;

  constructor(api: Api, name: string, holder?: string) {
    this.api = api;
    this.path = `/consumers/${name}`;
    this.holder = holder;
  }

  /** The same consumer with another worker. */
  as(holder: string, api = this.api): ConsumerClient {
    return new ConsumerClient(api, this.path.slice('/consumers/'.length), holder);
  }

  put(fields: object = {}): Promise<ApiResponse> {
    return this.api.write('PUT', this.path, fields);
  }

  async get(): Promise<Leased> {
    const { status, text, body } = await this.api.get(this.path);
    expect(status, text).toBe(200);
    return body;
  }

  post(what: string, fields: object): Promise<ApiResponse> {
    const named = this.holder === undefined || what === 'seek' || what === 'unpark' ? fields : { holder: this.holder, ...fields };
    return this.api.write('POST', `${this.path}/${what}`, named);
  }

  async lease(fields: object = {}): Promise<Leased[]> {
    const { status, text, body } = await this.post('lease', fields);
    expect(status, text).toBe(200);
    expect(Object.keys(body)).toEqual(['data']);
    return body.data;
  }

  /** Leases messages and returns their ids. */
  async leaseIds(fields: object = {}): Promise<string[]> {
    return idsOf(await this.lease(fields));
  }

  async do(what: 'ack' | 'extend' | 'release' | 'unpark', ids: string[], fields: object = {}): Promise<Leased> {
    const { status, text, body } = await this.post(what, { ids, ...fields });
    expect(status, text).toBe(200);
    return body;
  }

  async parked(): Promise<Leased[]> {
    return (await this.api.get(`${this.path}/parked`)).body.data;
  }
}

export function idsOf(leased: readonly Leased[]): string[] {
  return leased.map(({ message }) => message.id);
}

export async function sendTo(sender: Api, to: string, fields: object = {}): Promise<string> {
  const { status, text, body } = await sender.send({ to, ...fields });
  expect(status, text).toBe(201);
  return body.id;
}

/** Moves the clock forward for everything that consumers hold: leases lapse, and delays end. */
export async function passTime(service: { sql(text: string): Promise<unknown> }, time = '1 day'): Promise<void> {
  await service.sql(`UPDATE consumer_messages SET due_at = due_at - interval '${time}'`);
}
