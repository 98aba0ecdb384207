import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import { shareMetrics } from '../platform/processes/all-metrics.ts';
import type { ByteBudget } from './byte-budget.ts';
import { EVENT_STREAM } from './endpoint.ts';

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function collectMetrics(app: FastifyInstance, registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  shareMetrics(registry);
  const durations = new Histogram({
    name: 'waybill_http_request_duration_seconds',
    help: 'Time from a request’s first byte to its response’s last.',
    labelNames: ['method', 'route'],
    buckets: BUCKETS_S,
    registers: [registry],
  });
  const responses = new Counter({
    name: 'waybill_http_responses_total',
    help: 'Responses by status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = request.routeOptions.url ?? 'none';
    // An event stream lasts as long as the client listens, which says nothing about speed.
    if (reply.getHeader('content-type') !== EVENT_STREAM) durations.observe({ method, route }, reply.elapsedTime / 1000);
    responses.inc({ method, route, status: reply.statusCode });
    done();
  });
}

export function collectHeldBytes(budget: ByteBudget, registry: Registry): void {
  new Gauge({
    name: 'waybill_http_response_bytes',
    help: 'Bytes of large responses that are held for clients that have not read them yet.',
    registers: [registry],
    collect() {
      this.set(budget.taken);
    },
  });
}
