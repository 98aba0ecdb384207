import { execFile } from 'node:child_process';

/** The first run on a machine downloads plug-ins and packages. */
const LONGEST_MS = 570_000;
/** Matches the messages of Maven, Go and npm when they can't reach a registry. */
const OFFLINE =
  /Could not (transfer|find) artifact|could not be resolved|UnknownHostException|no such host|dial tcp|connection refused|i\/o timeout|npm (error|ERR!) code (E[A-Z_]*(NOTFOUND|AGAIN|REFUSED|RESET|UNREACH|TIMEDOUT|TIMEOUT)|E5\d\d)\b/i;

export function run(
  program: string,
  args: string[],
  cwd: string,
  { env = {}, longestMs = LONGEST_MS }: { env?: Record<string, string>; longestMs?: number } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout: longestMs, maxBuffer: 64 * 1_048_576 };
    execFile(program, args, options, (error, stdout, stderr) => {
      const how = error?.killed ? `did not end within ${longestMs / 1_000} s` : 'failed';
      if (error) reject(new Error(`${program} ${args[0]} ${how}.\n${stdout}${stderr}`));
      else resolve(stdout);
    });
  });
}

/** Says why something can't be tried here. Undefined: it can. */
export async function missing(program: string, version: string, cwd: string): Promise<string | undefined> {
  if (process.env['WAYBILL_TEST_INSTALL'] === 'no') return 'WAYBILL_TEST_INSTALL is "no".';
  return run(program, [version], cwd).then(
    () => undefined,
    () => `there is no ${program}.`,
  );
}

/** Runs the work. Returns why there is no result: without a registry, nothing can be said about the document. */
export async function unlessOffline(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Error && OFFLINE.test(error.message)) return 'a registry can’t be reached.';
    throw error;
  }
}
