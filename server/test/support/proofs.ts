import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ApiResponse } from './api.ts';

/** Requests a proof until the log has the message, as the 202 says. */
export async function untilLogged(ask: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (let tries = 0; ; tries++) {
    const response = await ask();
    if (response.status !== 202 || tries > 100) return response;
    expect(response.headers.get('retry-after')).toBe('1');
    expect(response.body).toEqual({ status: 'pending', retry_after_s: 1 });
    await setTimeout(200);
  }
}
