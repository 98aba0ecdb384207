import { afterEach, expect, test, vi } from 'vitest';
import { collectWhenIdle } from '../../src/platform/processes/idle-collection.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('a process without descriptors, which can’t read its size, goes on', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const rss = vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
    throw Object.assign(new Error('EMFILE: too many open files, uv_resident_set_memory'), { code: 'EMFILE' });
  });
  const stop = collectWhenIdle();
  // What is thrown in a timer would end the process. Here, it would reach this call.
  vi.advanceTimersByTime(20_000);
  expect(rss).toHaveBeenCalledTimes(4);
  rss.mockRestore();
  vi.advanceTimersByTime(20_000);
  stop();
  expect(vi.getTimerCount()).toBe(0);
});
