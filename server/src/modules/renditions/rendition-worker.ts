import os from 'node:os';
import { parentPort } from 'node:worker_threads';
import { render } from './render.ts';
import type { RenditionJob, RenditionReply } from './rendition.ts';

/** Paper may wait; sends and reads of messages may not. On Linux this sets the priority of the thread, not of the process. */
const NICENESS = 5;
os.setPriority(0, NICENESS);

parentPort?.on('message', async (job: RenditionJob) => {
  const before = process.threadCpuUsage();
  const rendition = await render(job).catch(() => undefined);
  const { user, system } = process.threadCpuUsage(before);
  const reply: RenditionReply = { rendition, cpuMs: (user + system) / 1_000 };
  parentPort?.postMessage(reply, rendition?.kind === 'made' ? [rendition.bytes.buffer] : []);
});
