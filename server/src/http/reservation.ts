import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { networkOf } from '../platform/network.ts';
import type { ByteBudget } from './byte-budget.ts';

/** What one response takes of the budget, until it is sent or its client has gone. */
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
    // A client that has gone holds nothing; what is made for it is thrown away at once.
    if (this.#isClosed || this.#response.destroyed) return;
    this.#budget.take(bytes, this.#holder);
    if (this.#bytes === 0) this.#response.once('close', () => this.#close());
    this.#bytes += bytes;
  }

  atLeast(bytes: number): void {
    if (bytes > this.#bytes) this.add(bytes - this.#bytes);
  }

  /** Gives back what turned out not to be needed. */
  shrinkTo(bytes: number): void {
    if (bytes >= this.#bytes) return;
    this.#budget.give(this.#bytes - bytes, this.#holder);
    this.#bytes = bytes;
  }

  /** Whose share it counts in. */
  get #holder(): string {
    const { caller, person, ip } = this.#request;
    if (caller) return `business ${caller.business.id}`;
    return person ? `person ${person.id}` : `network ${networkOf(ip)}`;
  }

  #close(): void {
    this.#isClosed = true;
    this.#budget.give(this.#bytes, this.#holder);
    this.#bytes = 0;
  }
}
