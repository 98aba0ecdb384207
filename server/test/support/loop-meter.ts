import { subscribe } from 'node:diagnostics_channel';
import { IncomingMessage, ServerResponse } from 'node:http';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { StolenTime } from './stolen-time.ts';

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

const stolen = new StolenTime();
let turns: Turn[] = [];
let requests: MeasuredRequest[] = [];
let turnBeganAt = now();

function now(): Instant {
  return { cpuMs: cpuMs(), wallMs: performance.now() };
}

/** Kernels count processor time in steps of up to 4 ms, so it may exceed the elapsed time. */
function between(began: Instant, ended = now()): number {
  return Math.max(0, Math.min(ended.cpuMs - began.cpuMs, ended.wallMs - began.wallMs));
}

/** Kernels count time that the host of a virtual machine gave to others as processor time of whatever was running. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000 - stolen.read();
}

interface Turn {
  ms: number;
  beganMs: number;
  endedMs: number;
}

const REFERENCE_RUNS = 15;
/** Shorter turns are not remembered. */
const NOTED_MS = 5;
const REPORTED_AFTER_MS = 20;

/** The timer is unreferenced, so that the loop sleeps as usual. It runs at the end of a turn that something else has begun. */
function noteTurn(): void {
  const ended = now();
  const ms = between(turnBeganAt, ended);
  if (ms > NOTED_MS) turns.push({ ms, beganMs: turnBeganAt.wallMs, endedMs: ended.wallMs });
  turnBeganAt = ended;
  setImmediate(noteTurn).unref();
}

interface Collection {
  startTime: number;
  duration: number;
}

let collections: Collection[] = [];

/** A collection of the whole heap takes as long as the heap is large, no matter what it was made for. Those of young objects count. */
function noteCollections(): void {
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (isWhole(entry)) collections.push(entry);
  }).observe({ entryTypes: ['gc'] });
}

function isWhole(entry: object): boolean {
  const detail: unknown = 'detail' in entry ? entry.detail : undefined;
  return typeof detail === 'object' && detail !== null && 'kind' in detail && detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

function longest(): number {
  const lengths = turns.map(({ ms, beganMs, endedMs }) => {
    const during = collections.filter(({ startTime }) => startTime >= beganMs && startTime < endedMs);
    return ms - during.reduce((sum, { duration }) => sum + duration, 0);
  });
  return Math.max(0, ...lengths);
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

/** A fixed amount of typical work, on average of several runs: one alone is as long as the steps in which kernels count time. */
function reference(): Measured {
  const rows = Array.from({ length: 2_000 }, (_, n) => ({ id: n, name: `name ${n} 漢`, tags: ['a', 'b'], at: { x: n / 3, y: null } }));
  const began = now();
  for (let i = 0; i < REFERENCE_RUNS * 4; i++) JSON.stringify(JSON.parse(JSON.stringify(rows)));
  return { longestMs: between(began) / REFERENCE_RUNS, requests: [] };
}

async function replyTo(question: MeterQuestion): Promise<Measured> {
  if (question === 'calibrate') return reference();
  if (question === 'end') {
    // The turn that reads the question ends, and collections are reported.
    await setTimeout(REPORTED_AFTER_MS);
    return { longestMs: longest(), requests };
  }
  turns = [];
  collections = [];
  requests = [];
  turnBeganAt = now();
  return { longestMs: 0, requests };
}

if (process.send) {
  process.on('message', async (question: MeterQuestion) => process.send?.(await replyTo(question)));
  noteCollections();
  process.channel?.unref();
  noteRequests();
  noteTurn();
}
