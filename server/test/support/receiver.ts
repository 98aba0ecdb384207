import { mkdtempSync, writeFileSync } from 'node:fs';
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { expect } from 'vitest';
import { type Authority, type Identity, newAuthority } from './certificates.ts';

/** What a receiver was sent. */
export interface Delivery {
  path: string;
  method: string;
  headers: IncomingHttpHeaders;
  /** The body as it came. */
  body: Buffer;
  /** In milliseconds since 1970. */
  at: number;
  /** The connection it came over, for those who count them. */
  socket: Socket;
}

export type Responder = (delivery: Delivery, response: ServerResponse, request: IncomingMessage) => void;

export interface Receiver {
  /** With a path of its own choice. */
  url(path?: string): string;
  port: number;
  /** In the order of their arrival. */
  deliveries: Delivery[];
  /** Those of one path. */
  at(path: string): Delivery[];
  /** How to respond from now on; at first with 204. */
  respond: Responder;
  /** Waits until so many have come. */
  received(count: number, timeoutMs?: number): Promise<Delivery[]>;
  stop(): Promise<void>;
}

/** One authority for a test file. Trusted by this process, and by another that is given `environment`. */
export const authority: Authority = newAuthority();
tls.setDefaultCACertificates([...tls.getCACertificates(), authority.cert]);

/** Makes a process of its own trust the authority. */
export function trustInProcess(): Record<string, string> {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'waybill-authority-')), 'authority.pem');
  writeFileSync(file, authority.cert);
  return { NODE_EXTRA_CA_CERTS: file };
}

/** What a webhook may reach in tests. */
export const receiverSettings = { WEBHOOK_PRIVATE_HOSTS: 'localhost,127.0.0.1' };

export const withStatus =
  (status: number, headers: Record<string, string> = {}): Responder =>
  (_delivery, response) =>
    response.writeHead(status, headers).end();

interface ReceiverOptions {
  plain?: boolean;
  identity?: Identity;
  /** As PEM: only clients with a certificate by this authority get through. */
  clientAuthority?: string;
}

/** A real HTTPS (or HTTP) server on loopback that keeps what it is sent. */
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
