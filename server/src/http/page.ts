import { createHash } from 'node:crypto';
import type { Answer } from './endpoint.ts';

/** HTML that has been escaped already. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A template whose values are escaped, unless they are Html themselves. */
export function html(parts: TemplateStringsArray, ...values: unknown[]): Html {
  return new Html(parts.reduce((text, part, i) => text + render(values[i - 1]) + part));
}

function render(value: unknown): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  if (value === null || value === undefined || value === false) return '';
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] as string);
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1a1a1f;--soft:#5f6370;--line:#e4e5ea;--paper:#fff;--tint:#f6f6f8;--accent:#1f5fd0}
@media (prefers-color-scheme:dark){:root{--ink:#ececf1;--soft:#a0a4b0;--line:#2e3038;--paper:#131318;--tint:#1c1d23;--accent:#8ab4ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.6 system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:break-word}
main{max-width:50rem;margin:0 auto;padding:3rem 1.25rem 6rem}
h1{font-size:1.75rem;line-height:1.25;letter-spacing:-.015em;margin:0 0 .5rem}
h2{font-size:1.25rem;margin:3rem 0 .75rem;padding-top:1.5rem;border-top:1px solid var(--line)}
h3{font-size:.8125rem;letter-spacing:.02em;color:var(--soft);margin:1.5rem 0 .5rem}
p{margin:.5rem 0}
a{color:var(--accent)}
.soft{color:var(--soft)}
code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
pre{background:var(--tint);padding:1rem;border-radius:.5rem;overflow-x:auto;white-space:pre-wrap}
dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.5rem 1.5rem;margin:1.5rem 0}
dt{color:var(--soft)}dd{margin:0;min-width:0}
table{width:100%;border-collapse:collapse;font-size:.9375rem}
th,td{text-align:left;vertical-align:top;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line)}
td:first-child{white-space:nowrap}
th{font-weight:500;color:var(--soft);font-size:.8125rem}
nav{font-size:.9375rem;margin:1.5rem 0}nav a{margin-right:1rem;white-space:nowrap;display:inline-block}
.method{font-weight:600;margin-right:.5rem}
.tag{font-size:.8125rem;color:var(--soft);border:1px solid var(--line);border-radius:1rem;padding:.125rem .625rem;margin-left:.5rem;white-space:nowrap}
button{font:inherit;padding:.5rem 1.125rem;border:0;border-radius:.5rem;background:#1f5fd0;color:#fff;cursor:pointer}
iframe{width:100%;height:32rem;border:1px solid var(--line);border-radius:.5rem}
@media (max-width:34rem){table{display:block;overflow-x:auto}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.75rem}main{padding-top:2rem}}
`;

/** What a page may do beyond being read. */
export type Permission = "form-action 'self'" | "frame-src 'self'";

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

function policy(permissions: Permission[]): string {
  const forbidden = permissions.includes("form-action 'self'") ? [] : ["form-action 'none'"];
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "base-uri 'none'",
    ...forbidden,
    ...permissions,
    "frame-ancestors 'none'",
  ].join('; ');
}

export const HTML_TYPE = 'text/html; charset=utf-8';

/** A page without any script: whatever a stranger wrote in it, nothing runs. */
export function page(title: string, body: Html, status = 200, ...permissions: Permission[]): Answer {
  const text = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><main>${body}</main></body>
</html>
`.text;
  return { status, headers: { 'content-security-policy': policy(permissions), 'referrer-policy': 'no-referrer' }, body: text };
}
