import { subscribe } from 'node:diagnostics_channel';
import { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Loaded into a service before anything else (`--import`). Measures the processor time of each turn of the event loop, which is how long
 * other requests wait, and of each request, and reports them to the parent process. Time in which the thread did not run, on a busy machine,
 * does not count.
 */

export interface Measured {
  longestMs: number;
  /** Those that were responded to, in this order. */
  requests: MeasuredRequest[];
}

export interface MeasuredRequest {
  /** The time of the main thread, without worker threads, from the head of the request to the end of the response. */
  ms: number;
  /** What it was charged. Of a stream, what was charged before it began. */
  units: number;
}

export type MeterQuestion = 'begin' | 'end' | 'calibrate';

interface Instant {
  cpuMs: number;
  wallMs: number;
}

let longestMs = 0;
let requests: MeasuredRequest[] = [];
let turnBeganAt = now();

function now(): Instant {
  return { cpuMs: cpuMs(), wallMs: performance.now() };
}

/** Kernels count processor time in steps of up to 4 ms, so it may exceed the elapsed time. */
function between(began: Instant, ended = now()): number {
  return Math.min(ended.cpuMs - began.cpuMs, ended.wallMs - began.wallMs);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The timer is unreferenced, so that the loop sleeps as usual. It runs at the end of a turn that something else has begun. */
function noteTurn(): void {
  const ended = now();
  longestMs = Math.max(longestMs, between(turnBeganAt, ended));
  turnBeganAt = ended;
  setImmediate(noteTurn).unref();
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Requests that are served at the same time have each the time of all. The tests make one after the other. */
function noteRequests(): void {
  const begun = new WeakMap<IncomingMessage, Instant>();
  subscribe('http.server.request.start', (message) => {
    if (isExchange(message)) begun.set(message.request, now());
  });
  subscribe('http.server.response.finish', (message) => {
    const began = isExchange(message) ? begun.get(message.request) : undefined;
    if (isExchange(message) && began) requests.push({ ms: between(began), units: unitsOf(message.response) });
  });
}

function isExchange(message: unknown): message is Exchange {
  if (typeof message !== 'object' || message === null || !('request' in message) || !('response' in message)) return false;
  return message.request instanceof IncomingMessage && message.response instanceof ServerResponse;
}

/** The header is there if a request costs more than one unit. Headers that Fastify hands to writeHead are in the text alone. */
function unitsOf(response: ServerResponse): number {
  const head = '_header' in response ? String(response._header) : '';
  return Number(/^ratelimit-cost: (\d+)/im.exec(head)?.[1] ?? 1);
}

/** A fixed amount of typical work. The fastest of several runs counts. */
function reference(): Measured {
  const rows = Array.from({ length: 2_000 }, (_, n) => ({ id: n, name: `name ${n} 漢`, tags: ['a', 'b'], at: { x: n / 3, y: null } }));
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 15; i++) {
    const before = cpuMs();
    for (let j = 0; j < 4; j++) JSON.stringify(JSON.parse(JSON.stringify(rows)));
    best = Math.min(best, cpuMs() - before);
  }
  return { longestMs: best, requests: [] };
}

function replyTo(question: MeterQuestion): Measured {
  if (question === 'calibrate') return reference();
  if (question === 'end') return { longestMs: Math.max(longestMs, between(turnBeganAt)), requests };
  longestMs = 0;
  requests = [];
  turnBeganAt = now();
  return { longestMs, requests };
}

if (process.send) {
  process.on('message', (question: MeterQuestion) => process.send?.(replyTo(question)));
  process.channel?.unref();
  noteRequests();
  noteTurn();
}
