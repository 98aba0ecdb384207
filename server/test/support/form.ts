import type { Api, ApiResponse } from './api.ts';

export interface FormPart {
  name?: string;
  filename?: string | undefined;
  type?: string | undefined;
  /** Replaces the headers that would follow from the fields above. */
  head?: string | Uint8Array;
  bytes?: string | Uint8Array;
}

export const BOUNDARY = '----boundary-of-a-test-form';

/** A form written by hand, for input that no client sends. Quotes and backslashes of names are escaped as in curl. */
export function formBody(parts: FormPart[], boundary = BOUNDARY): Buffer<ArrayBuffer> {
  const pieces = parts.flatMap((part) => [`--${boundary}\r\n`, part.head ?? headOf(part), '\r\n\r\n', part.bytes ?? '', '\r\n']);
  return Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece as string)));
}

function headOf({ name = 'file', filename, type }: FormPart): string {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
  const disposition = `Content-Disposition: form-data; name=${quoted(name)}${filename === undefined ? '' : `; filename=${quoted(filename)}`}`;
  return type === undefined ? disposition : `${disposition}\r\nContent-Type: ${type}`;
}

export const typeOfForm = (boundary = BOUNDARY) => ({ 'content-type': `multipart/form-data; boundary=${boundary}` });

/** Sends form parts, or the bytes of a whole body. */
export function sendForm(api: Api, form: FormPart[] | Buffer<ArrayBuffer>, headers: Record<string, string> = {}): Promise<ApiResponse> {
  const body = Buffer.isBuffer(form) ? form : formBody(form);
  return api.request('POST', '/v1/messages', { body, headers: { ...typeOfForm(), ...headers } });
}

/** Sends a form with the platform's own FormData and boundary, like browsers and Node. */
export async function sendFormData(api: Api, form: FormData, headers: Record<string, string> = {}): Promise<ApiResponse> {
  const response = await fetch(`${api.url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.secret}`, ...headers },
    body: form,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}
