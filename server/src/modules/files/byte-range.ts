import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../../contract/errors.ts';

export interface ByteRange {
  start: number;
  end: number;
}

/** The requested range (RFC 9110). Undefined for the whole file, which is also the response to several ranges. */
export function rangeOf(headers: IncomingHttpHeaders, size: number, etag: string): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '');
  const ifRange = headers['if-range'];
  if (!match || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start < size && start <= end) return { start, end };
  throw new Refusal('validation_error', `The file has ${size} bytes; the range is outside of it.`, {
    status: 416,
    headers: { 'content-range': `bytes */${size}` },
    details: [{ path: '/Range', message: 'is outside of the file' }],
  });
}
