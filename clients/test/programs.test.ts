import { expect, test } from 'vitest';
import { run } from './programs.ts';

test('a program that takes too long is named with its time, whatever it has printed', async () => {
  const waiting = ['-c', 'echo downloading; exec sleep 600'];
  await expect(run('sh', waiting, '.', { longestMs: 3_000 })).rejects.toThrow(/did not end within 3 s\.\ndownloading/);
});
