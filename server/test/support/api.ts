export interface ApiResponse {
  status: number;
  headers: Headers;
  /** The body as received, because JSON.parse would hide differences. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  body: any;
  /** The promises of a send, or of the messages of a batch. */
  promises?: string[];
}

/** A minimal client: what a developer would do with fetch. */
export class Api {
  readonly url: string;
  readonly secret: string | undefined;

  constructor(url: string, secret?: string) {
    this.url = url;
    this.secret = secret;
  }

  /** The same key at another address of the service. */
  at(url: string): Api {
    return new Api(url, this.secret);
  }

  /** Paths get the prefix /v1 unless they have one. */
  async request(
    method: string,
    path: string,
    init: { body?: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> } = {},
  ): Promise<ApiResponse> {
    const authorization: Record<string, string> = this.secret === undefined ? {} : { authorization: `Bearer ${this.secret}` };
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...authorization, ...init.headers },
      ...(init.body !== undefined && { body: init.body }),
    });
    return responseTo(method, path, response);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.request('GET', `/v1${path}`, { headers });
  }

  /** A string is sent unchanged, anything else as JSON. */
  write(method: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const text = typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body);
    return this.request(method, `/v1${path}`, { body: text, headers: { 'content-type': 'application/json', ...headers } });
  }

  send(message: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.write('POST', '/messages', message, headers);
  }

  patch(path: string, body: unknown): Promise<ApiResponse> {
    return this.write('PATCH', path, body);
  }
}

const SENDS = ['POST /v1/messages', 'POST /v1/messages/batch'];
const PROMISE = /,"promise":("(?:[^"\\]|\\.)*")/g;

/** Each response to a send has another promise, so it is taken out of the body: then a repeat is equal to the original. */
export async function responseTo(method: string, path: string, response: Response): Promise<ApiResponse> {
  const { status, headers } = response;
  const whole = await textOf(response);
  if (!SENDS.includes(`${method} ${path}`)) return { status, headers, text: whole, body: parsed(whole) };
  const promises = [...whole.matchAll(PROMISE)].map(([, promise = '']) => JSON.parse(promise));
  const text = whole.replace(PROMISE, '');
  return { status, headers, text, body: parsed(text), promises };
}

/** Returns the whole response, or the beginning of an event stream, which lasts for minutes. */
export async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream' || !response.body) return response.text();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const { value = '' } = await reader.read();
  await reader.cancel();
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
