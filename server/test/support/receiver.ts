import { mkdtempSync, writeFileSync } from 'node:fs';
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { expect } from 'vitest';
import { type Authority, type Identity, newAuthority } from './certificates.ts';

/** A request that a receiver got. */
export interface Delivery {
  path: string;
  method: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  at: number;
  socket: Socket;
}

export type Responder = (delivery: Delivery, response: ServerResponse, request: IncomingMessage) => void;

export interface Receiver {
  url(path?: string): string;
  port: number;
  deliveries: Delivery[];
  at(path: string): Delivery[];
  /** The response from now on. The default is 204. */
  respond: Responder;
  /** Waits until this many have come. */
  received(count: number, timeoutMs?: number): Promise<Delivery[]>;
  stop(): Promise<void>;
}

/** The authority of a test file. This process trusts it, and so does another that gets trustInProcess(). */
export const authority: Authority = newAuthority();
tls.setDefaultCACertificates([...tls.getCACertificates(), authority.cert]);

/** Makes another process trust the authority. */
export function trustInProcess(): Record<string, string> {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'waybill-authority-')), 'authority.pem');
  writeFileSync(file, authority.cert);
  return { NODE_EXTRA_CA_CERTS: file };
}

/** The private hosts that webhooks may reach in tests. */
export const receiverSettings = { WEBHOOK_PRIVATE_HOSTS: 'localhost,127.0.0.1' };

export const withStatus =
  (status: number, headers: Record<string, string> = {}): Responder =>
  (_delivery, response) =>
    response.writeHead(status, headers).end();

interface ReceiverOptions {
  plain?: boolean;
  identity?: Identity;
  /** PEM. Only clients with a certificate by this authority are accepted. */
  clientAuthority?: string;
}

/** A real HTTPS (or HTTP) server on loopback that records its requests. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const deliveries: Delivery[] = [];
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const { url = '', method = '', headers, socket } = request;
      const delivery = { path: url, method, headers, body: Buffer.concat(chunks), at: Date.now(), socket };
      deliveries.push(delivery);
      receiver.respond(delivery, response, request);
    });
  };
  const identity = options.identity ?? authority.issue(['localhost', '127.0.0.1']);
  const asksForCertificate = options.clientAuthority === undefined ? {} : { requestCert: true, ca: options.clientAuthority };
  const server = options.plain ? http.createServer(onRequest) : https.createServer({ ...identity, ...asksForCertificate }, onRequest);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: (at = '/') => `${options.plain ? 'http' : 'https'}://localhost:${port}${at}`,
    port,
    deliveries,
    at: (wanted) => deliveries.filter(({ path }) => path === wanted),
    respond: withStatus(204),
    received: async (count, timeoutMs = 10_000) => {
      await expect.poll(() => deliveries.length, { timeout: timeoutMs, interval: 5 }).toBeGreaterThanOrEqual(count);
      return deliveries;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
