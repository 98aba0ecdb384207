import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Loaded into a service before anything else (`--import`). On request, it tells its parent which files of the project have run functions
 * since the last request.
 */
const ROOT = process.cwd();

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

async function filesRun(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(
      ({ url, functions }) =>
        url.startsWith('file:') && functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0]?.count),
    )
    .map(({ url }) => path.relative(ROOT, fileURLToPath(url)))
    .filter((file) => !file.includes('node_modules') && !/(^|\/)server\/path\//.test(file));
}

process.on('message', async () => process.send?.(await filesRun()));
process.channel?.unref();
