import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { networkOf, siteOf } from '../platform/fairness/network.ts';
import type { ByteBudget } from './byte-budget.ts';

export class Reservation {
  readonly #budget: ByteBudget;
  readonly #request: FastifyRequest;
  readonly #response: ServerResponse;
  #bytes = 0;
  #isClosed = false;

  constructor(budget: ByteBudget, request: FastifyRequest, response: ServerResponse) {
    this.#budget = budget;
    this.#request = request;
    this.#response = response;
  }

  add(bytes: number): void {
    // The response of a client that is gone is discarded at once.
    if (this.#isClosed || this.#response.destroyed) return;
    this.#budget.take(bytes, this.#holder);
    if (this.#bytes === 0) this.#response.once('close', () => this.#close());
    this.#bytes += bytes;
  }

  atLeast(bytes: number): void {
    if (bytes > this.#bytes) this.add(bytes - this.#bytes);
  }

  shrinkTo(bytes: number): void {
    if (bytes >= this.#bytes) return;
    this.#budget.give(this.#bytes - bytes, this.#holder);
    this.#bytes = bytes;
  }

  get #holder(): string {
    const { caller, person, ip } = this.#request;
    if (caller) return `business ${caller.business.id}`;
    return person ? `person ${person.id}` : `network ${siteOf(ip) ?? networkOf(ip)}`;
  }

  #close(): void {
    this.#isClosed = true;
    this.#budget.give(this.#bytes, this.#holder);
    this.#bytes = 0;
  }
}
