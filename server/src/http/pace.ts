import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Counter, type Registry } from 'prom-client';

interface Transfer {
  socket: Socket;
  direction: 'request' | 'response';
  passed(): number;
  /** The client waits for the service, and not the service for the client. */
  isOurTurn(): boolean;
  isOver(): boolean;
  since: number;
  from: number;
}

const SWEEPS_PER_WINDOW = 6;

/**
 * Drops clients that send a streamed body, or read a large response, slower than a minimum rate: each holds buffers and a connection. One timer
 * checks all of them, with the counters of their sockets.
 */
export class Pace {
  readonly #bytesPerMs: number;
  readonly #windowMs: number;
  readonly #transfers = new Set<Transfer>();
  readonly #dropped: Counter<'direction'>;
  readonly #timer: NodeJS.Timeout;

  constructor(minBytesPerS: number, windowS: number, registry: Registry) {
    this.#bytesPerMs = minBytesPerS / 1000;
    this.#windowMs = windowS * 1000;
    this.#dropped = new Counter({
      name: 'waybill_http_slow_clients_total',
      help: 'Connections that were closed because a client sent or read too slowly.',
      labelNames: ['direction'],
      registers: [registry],
    });
    this.#timer = setInterval(() => this.#sweep(), this.#windowMs / SWEEPS_PER_WINDOW).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  watchRequest(request: IncomingMessage): void {
    const { socket } = request;
    const transfer = this.#watch({
      socket,
      direction: 'request',
      passed: () => socket.bytesRead,
      // Bytes that have arrived but are not read wait for a disk or a database, not for the client.
      isOurTurn: () => request.readableLength > 0,
      isOver: () => request.complete,
    });
    request.once('close', () => this.#transfers.delete(transfer));
  }

  watchResponse(socket: Socket, response: ServerResponse): void {
    const transfer = this.#watch({
      socket,
      direction: 'response',
      passed: () => socket.bytesWritten - socket.writableLength,
      isOurTurn: () => socket.writableLength === 0,
      isOver: () => false,
    });
    response.once('close', () => this.#transfers.delete(transfer));
  }

  #watch(transfer: Omit<Transfer, 'since' | 'from'>): Transfer {
    const watched = { ...transfer, since: performance.now(), from: transfer.passed() };
    this.#transfers.add(watched);
    return watched;
  }

  #sweep(): void {
    const now = performance.now();
    for (const transfer of this.#transfers) {
      const elapsed = now - transfer.since;
      if (transfer.isOver()) this.#transfers.delete(transfer);
      else if (transfer.isOurTurn() || (elapsed >= this.#windowMs && transfer.passed() - transfer.from >= elapsed * this.#bytesPerMs)) {
        transfer.since = now;
        transfer.from = transfer.passed();
      } else if (elapsed >= this.#windowMs) {
        this.#transfers.delete(transfer);
        this.#dropped.inc({ direction: transfer.direction });
        transfer.socket.destroy();
      }
    }
  }
}
