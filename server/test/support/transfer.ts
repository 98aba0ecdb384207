import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'vitest';
import type { Api, ApiResponse } from './api.ts';

export interface UploadTicket {
  upload_id: string;
  upload_url: string;
  method: string;
  headers: Record<string, string>;
  expires_at: string;
}

export interface Announced {
  filename?: string;
  content_type?: string;
  size_bytes?: number;
}

export function someBytes(size: number): Buffer<ArrayBuffer> {
  return randomBytes(size);
}

export function sha256Of(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export function announcement(fields: Announced = {}): Required<Announced> {
  return { filename: 'report.pdf', content_type: 'application/pdf', size_bytes: 5, ...fields };
}

export async function announce(api: Api, fields: Announced = {}): Promise<UploadTicket> {
  const response = await api.write('POST', '/uploads', announcement(fields));
  expect(response.status, response.text).toBe(201);
  return response.body;
}

/** PUTs the bytes as a developer would, with the response of the service. */
export async function put(
  { upload_url, headers }: Pick<UploadTicket, 'upload_url' | 'headers'>,
  bytes: string | Uint8Array<ArrayBuffer>,
): Promise<ApiResponse> {
  const response = await fetch(upload_url, { method: 'PUT', headers, body: bytes });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

export function cut(bytes: Buffer<ArrayBuffer>, partBytes: number): Buffer<ArrayBuffer>[] {
  return Array.from({ length: Math.max(1, Math.ceil(bytes.length / partBytes)) }, (_, i) =>
    bytes.subarray(i * partBytes, (i + 1) * partBytes),
  );
}

export async function upload(api: Api, bytes: string | Uint8Array<ArrayBuffer>, fields: Announced = {}): Promise<string> {
  const ticket = await announce(api, { size_bytes: Buffer.byteLength(bytes), ...fields });
  const response = await put(ticket, bytes);
  expect(response.status, response.text).toBe(200);
  return ticket.upload_id;
}

/** Keep-alive, so that a refusal arrives even while the body is being sent. */
const agent = new Agent({ keepAlive: true });

/** A PUT with exactly these headers, whatever the body. Without Content-Length it is sent in chunks. */
export async function putStream(url: string, headers: Record<string, string | number>, body: Readable): Promise<ApiResponse> {
  const sending = request(url, { method: 'PUT', headers, agent });
  const responded = once(sending, 'response') as Promise<[IncomingMessage]>;
  const sent = pipeline(body, sending).catch(() => {});
  const [response] = await responded;
  const text = Buffer.concat(await response.toArray()).toString('utf8');
  // A server that refuses need not read the rest.
  sending.destroy();
  await sent;
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(response.headers as Record<string, string>),
    text,
    body: parsed(text),
  };
}

export interface Downloaded {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

/** Downloads from the URL, also through the redirect to a bucket. */
export async function download(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Downloaded> {
  // fetch would request compression, but resumed downloads need the bytes unchanged.
  const response = await fetch(url, { method, headers: { 'accept-encoding': 'identity', ...headers }, redirect: 'manual' });
  const bytes = Buffer.from(await response.arrayBuffer());
  const { authorization: _, ...passedOn } = headers;
  if (response.status === 302) return download(response.headers.get('location') ?? '', passedOn, method);
  return { status: response.status, headers: response.headers, bytes };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
