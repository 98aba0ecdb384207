import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createServer } from 'vite';
import { buildVerifier } from '../web/build-verifier.ts';
import { SERVICE_PATHS } from '../web/service-paths.ts';

/**
 * `npm run dev`: the service on the embedded database, restarted on change by `node --watch`, and the pages by Vite with hot reload. Vite
 * passes all other requests on to the service. PORT and PAGES_PORT name the two ports. Ctrl-C ends everything.
 */
const ROOT = path.resolve(import.meta.dirname, '..');
const port = process.env['PORT'] ?? '3000';
const pagesPort = Number(process.env['PAGES_PORT'] ?? 5173);
/** These folders are read from disk at each start, so `node --watch` does not know them. */
const SQL_FOLDERS = ['server/migrations', 'server/sql'];
const SAVING_MS = 100;

// Vite's first call sets it for all that follow: building the verifier would say 'production', and pages lack what hot reload needs.
process.env['NODE_ENV'] = 'development';
const serviceUrl = `http://127.0.0.1:${port}`;
const pagesUrl = `http://127.0.0.1:${pagesPort}`;
const shell = await writeShell();
const vite = await createServer({
  configFile: path.join(ROOT, 'web/vite.config.ts'),
  server: { host: '127.0.0.1', port: pagesPort, strictPort: true, proxy: { [SERVICE_PATHS]: { target: serviceUrl } } },
});
await vite.listen();
let service = startWatched();
watchSql();
console.log(`Pages    ${pagesUrl}\nService  ${serviceUrl}\n`);

let isEnding = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    if (isEnding) return;
    isEnding = true;
    await Promise.all([end(service), vite.close()]);
    rmSync(shell, { recursive: true });
    process.exit(0);
  });
}

/** Starts the service in its own process group, so that Ctrl-C reaches only this process, which then stops the service in order. */
function startWatched(): ChildProcess {
  return spawn(process.execPath, ['--watch', '--watch-preserve-output', 'server/src/main.ts', '--pages', shell], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      NODE_COMPILE_CACHE: path.join(ROOT, 'node_modules/.cache/compiled'),
      ...process.env,
      PORT: port,
      // Links, cookies and the check of Origin use the URL in the address bar.
      PUBLIC_URL: pagesUrl,
    },
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** An editor may write a file in several steps, which cause one restart. */
function watchSql(): void {
  let saving: NodeJS.Timeout | undefined;
  const restart = async () => {
    await end(service);
    if (!isEnding) service = startWatched();
  };
  for (const folder of SQL_FOLDERS.map((name) => path.join(ROOT, name)).filter((name) => existsSync(name)))
    watch(folder, { recursive: true }, () => {
      clearTimeout(saving);
      saving = setTimeout(restart, SAVING_MS);
    });
}

/** Writes the documents that the service shows instead of a page: they name the URL of the pages. */
async function writeShell(): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-dev-'));
  mkdirSync(path.join(folder, 'assets'));
  const document = `<!doctype html><title>Waybill</title><p>The pages are at <a href="${pagesUrl}">${pagesUrl}</a>.`;
  for (const name of ['index.html', 'pdf.html']) writeFileSync(path.join(folder, name), document);
  // Vite serves its script and its style sheet as they are.
  copyFileSync(path.join(ROOT, 'web/docs.html'), path.join(folder, 'docs.html'));
  await buildVerifier(folder);
  return folder;
}
