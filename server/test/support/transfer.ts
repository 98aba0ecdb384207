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

/** An upload that was announced but not PUT yet. */
export async function announce(api: Api, fields: Announced = {}): Promise<UploadTicket> {
  const response = await api.write('POST', '/uploads', announcement(fields));
  expect(response.status, response.text).toBe(201);
  return response.body;
}

/** As a developer would, with what the service said. */
export async function put(
  { upload_url, headers }: Pick<UploadTicket, 'upload_url' | 'headers'>,
  bytes: string | Uint8Array<ArrayBuffer>,
): Promise<ApiResponse> {
  const response = await fetch(upload_url, { method: 'PUT', headers, body: bytes });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

/** A file's bytes, cut as an upload in parts wants them. */
export function cut(bytes: Buffer<ArrayBuffer>, partBytes: number): Buffer<ArrayBuffer>[] {
  return Array.from({ length: Math.max(1, Math.ceil(bytes.length / partBytes)) }, (_, i) =>
    bytes.subarray(i * partBytes, (i + 1) * partBytes),
  );
}

/** Announces and PUTs. Gives the upload_id. */
export async function upload(api: Api, bytes: string | Uint8Array<ArrayBuffer>, fields: Announced = {}): Promise<string> {
  const ticket = await announce(api, { size_bytes: Buffer.byteLength(bytes), ...fields });
  const response = await put(ticket, bytes);
  expect(response.status, response.text).toBe(200);
  return ticket.upload_id;
}

/** On a connection that is to be kept, a refusal arrives even while the body is still on its way. */
const agent = new Agent({ keepAlive: true });

/** A PUT with exactly these headers, whatever the body: without a Content-Length it goes out in chunks. */
export async function putStream(url: string, headers: Record<string, string | number>, body: Readable): Promise<ApiResponse> {
  const sending = request(url, { method: 'PUT', headers, agent });
  const responded = once(sending, 'response') as Promise<[IncomingMessage]>;
  const sent = pipeline(body, sending).catch(() => {});
  const [response] = await responded;
  const text = Buffer.concat(await response.toArray()).toString('utf8');
  // A server that refuses need not take the rest.
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

/** Also from a bucket, to which the service leads. */
export async function download(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Downloaded> {
  // Else it asks for compression, and resumed downloads are of the bytes as they are.
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
