import type { ApiResponse } from './api.ts';
import type { Browser } from './browser.ts';

export class MemberApi {
  readonly browser: Browser;
  readonly handle: string;

  constructor(browser: Browser, handle: string) {
    this.browser = browser;
    this.handle = handle;
  }

  request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.browser.request(method, `/v1${path}`, {
      headers: { 'waybill-business': this.handle, ...headers },
      ...(body !== undefined && { body }),
    });
  }

  get(path: string): Promise<ApiResponse> {
    return this.request('GET', path);
  }

  post(path: string, body?: unknown): Promise<ApiResponse> {
    return this.request('POST', path, body);
  }

  patch(path: string, body: unknown): Promise<ApiResponse> {
    return this.request('PATCH', path, body);
  }

  delete(path: string): Promise<ApiResponse> {
    return this.request('DELETE', path);
  }
}
