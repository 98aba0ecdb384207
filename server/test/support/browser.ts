import { type ApiResponse, responseTo } from './api.ts';

interface Init {
  body?: unknown;
  headers?: Record<string, string>;
  /** The origin of the requesting page. Null: none, as for a program. */
  origin?: string | null;
}

interface Cookie {
  value: string;
  /** In lower case, as the server wrote them: `httponly`, `samesite=lax`. */
  attributes: string[];
}

/** Handles cookies like a browser, for one service and the hosts it redirects to. Tests follow redirects themselves. */
export class Browser {
  readonly url: string;
  readonly #jars = new Map<string, Map<string, Cookie>>();

  constructor(url: string) {
    this.url = url;
  }

  async request(method: string, path: string, { body, headers = {}, origin = this.url }: Init = {}): Promise<ApiResponse> {
    const url = new URL(path, this.url);
    const cookie = this.cookieHeader(url.host);
    const isChange = method !== 'GET' && method !== 'HEAD';
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie !== '' && { cookie }),
        ...(isChange && origin !== null && { origin: new URL(origin).origin }),
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isReady(body) ? body : JSON.stringify(body) }),
    });
    this.#remember(url.host, response.headers.getSetCookie());
    return responseTo(method, path, response);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.request('GET', path, { headers });
  }

  post(path: string, body: unknown, init: Init = {}): Promise<ApiResponse> {
    return this.request('POST', path, { ...init, body });
  }

  cookies(host = new URL(this.url).host): ReadonlyMap<string, Cookie> {
    return this.#jars.get(host) ?? new Map();
  }

  cookieHeader(host = new URL(this.url).host): string {
    return [...this.cookies(host)].map(([name, { value }]) => `${name}=${value}`).join('; ');
  }

  /** Sets a cookie, as somebody could do who has the cookies in a file. */
  setCookie(name: string, value: string): void {
    const host = new URL(this.url).host;
    this.#jars.set(host, new Map([...this.cookies(host), [name, { value, attributes: [] }]]));
  }

  /** The same cookies at another address of the service. */
  at(url: string): Browser {
    const other = new Browser(url);
    for (const [name, { value }] of this.cookies()) other.setCookie(name, value);
    return other;
  }

  #remember(host: string, lines: string[]): void {
    const jar = new Map(this.cookies(host));
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const at = pair.indexOf('=');
      const name = pair.slice(0, at);
      const lowered = attributes.map((attribute) => attribute.toLowerCase());
      if (lowered.includes('max-age=0')) jar.delete(name);
      else jar.set(name, { value: pair.slice(at + 1), attributes: lowered });
    }
    this.#jars.set(host, jar);
  }
}

function isReady(body: unknown): body is string | URLSearchParams | FormData {
  return typeof body === 'string' || body instanceof URLSearchParams || body instanceof FormData;
}
