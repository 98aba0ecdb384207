import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';

const SCRIPT = '<script type="module" src="/src/verify/main.ts"></script>';
const STYLES = ['style.css', 'evidence.css', 'certificate.css'];
const STYLE = '<link rel="stylesheet" href="/src/verify/style.css">';

/** Builds verify.html: one file with its script and style inside, which works from disk and may connect to nothing. */
export async function buildVerifier(folder: string): Promise<void> {
  const root = import.meta.dirname;
  const script = (await bundled(path.join(root, 'src/verify/main.ts'))).trim().replaceAll('</script', '<\\/script');
  const style = STYLES.map((file) => readFileSync(path.join(root, 'src/verify', file), 'utf8').trim()).join('\n');
  const hashes = [script, style].map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  const policy = `default-src 'none'; script-src ${hashes[0]}; style-src ${hashes[1]}; base-uri 'none'; form-action 'none'`;
  const template = readFileSync(path.join(root, 'verify.html'), 'utf8');
  if (!template.includes(SCRIPT) || !template.includes(STYLE))
    throw new Error('verify.html has not the script and style that are put into it.');
  const page = template
    // The policy comes first, because it covers only the elements after it.
    .replace('<meta charset="utf-8">', (charset) => `${charset}\n    <meta http-equiv="content-security-policy" content="${policy}">`)
    .replace(STYLE, () => `<style>${style}</style>`)
    .replace(SCRIPT, () => `<script type="module">${script}</script>`);
  writeFileSync(path.join(folder, 'verify.html'), page);
}

async function bundled(input: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: { target: 'es2024', write: false, modulePreload: false, rolldownOptions: { input, output: { codeSplitting: false } } },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((one) => ('output' in one ? one.output : []));
  const [only, ...rest] = outputs.filter((output) => output.type === 'chunk');
  if (!only || rest.length > 0) throw new Error('The verifier was not built as one script.');
  return only.code;
}

if (import.meta.main) await buildVerifier(process.argv[2] ?? '.');
