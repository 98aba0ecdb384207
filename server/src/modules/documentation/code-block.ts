import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { Html, html } from '../../contract/html.ts';

/** The used part of highlight.js. Its own types would bring those of browsers into the service. */
interface Highlighter {
  registerLanguage(name: string, grammar: unknown): void;
  highlight(code: string, options: { language: string }): { value: string };
}

const require = createRequire(import.meta.url);
const hljs: Highlighter = require('highlight.js/lib/core');

const LANGUAGES: Record<string, [grammar: string, name: string]> = {
  sh: ['bash', 'Shell'],
  ts: ['typescript', 'TypeScript'],
  python: ['python', 'Python'],
  go: ['go', 'Go'],
  java: ['java', 'Java'],
  json: ['json', 'JSON'],
  ini: ['ini', 'Settings'],
};

for (const [name, [grammar]] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, require(`highlight.js/lib/languages/${grammar}`));

/** Compiles the grammars, some of which take milliseconds, and yields to other requests in between. */
export async function prepareLanguages(): Promise<void> {
  for (const language of Object.keys(LANGUAGES)) {
    hljs.highlight('', { language });
    await setImmediate();
  }
}

export function codeBlock(code: string, language: string, label?: string): Html {
  const known = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined;
  const coloured = known ? new Html(hljs.highlight(code, { language }).value) : html`${code}`;
  const name = label ?? known?.[1] ?? 'Text';
  return html`<figure class="code" data-label="${name}"><figcaption>${name}</figcaption><pre><code>${coloured}</code></pre></figure>\n`;
}

export function codeTabs(blocks: Html[]): Html {
  return html`<div class="tabs">${blocks}</div>\n`;
}
