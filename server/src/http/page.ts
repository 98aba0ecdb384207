import { createHash } from 'node:crypto';
import { Html, html } from '../contract/html.ts';
import type { HttpResponse } from './endpoint.ts';

const STYLE = `
:root{color-scheme:light dark;--ink:#1a1a1f;--soft:#5c606c;--line:#e4e5ea;--paper:#fff;--tint:#f5f5f8;--accent:#1f5fd0}
@media (prefers-color-scheme:dark){:root{--ink:#ececf1;--soft:#a3a7b3;--line:#2e3038;--paper:#131318;--tint:#1d1e25;--accent:#8ab4ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.65 system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:break-word}
main{max-width:50rem;margin:0 auto;padding:3rem 1.25rem 6rem}
h1{font-size:1.875rem;line-height:1.2;letter-spacing:-.02em;font-weight:650;margin:0 0 .75rem;text-wrap:balance}
h2{font-size:1.25rem;line-height:1.35;letter-spacing:-.01em;font-weight:620;margin:3rem 0 .75rem}
h3{font-size:1rem;line-height:1.4;margin:2rem 0 .5rem}
p{margin:.75rem 0}
a{color:var(--accent);text-underline-offset:.15em;text-decoration-thickness:1px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:.25rem}
.soft{color:var(--soft)}
code,pre{font:.875em/1.6 ui-monospace,SFMono-Regular,Menlo,monospace}
pre{background:var(--tint);padding:1rem 1.125rem;border-radius:.5rem;white-space:pre-wrap;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.5rem 1.5rem;margin:1.5rem 0}
dt{color:var(--soft)}dd{margin:0;min-width:0}
table{width:100%;border-collapse:collapse;font-size:.9375rem;line-height:1.5;margin:1rem 0}
th,td{text-align:left;vertical-align:top;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line)}
th{font-weight:500;color:var(--soft);font-size:.8125rem}
button{font:inherit;padding:.5rem 1.125rem;border:0;border-radius:.5rem;background:#1f5fd0;color:#fff;cursor:pointer}
iframe{width:100%;height:32rem;border:1px solid var(--line);border-radius:.5rem}
@media (max-width:40rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.75rem}main{padding-top:2rem}
table,tbody,tr,td{display:block}thead{display:none}tr{padding:.625rem 0;border-bottom:1px solid var(--line)}td{border:0;padding:0}td+td{margin-top:.25rem}}
`;

/** The permissions of a page, as directives of its content security policy. */
type Permission = "form-action 'self'" | "frame-src 'self'";

function policy(permissions: Permission[]): string {
  const forbidden = permissions.includes("form-action 'self'") ? [] : ["form-action 'none'"];
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    ...forbidden,
    ...permissions,
    "frame-ancestors 'none'",
  ].join('; ');
}

export const HTML_TYPE = 'text/html; charset=utf-8';

/** A page without any script, so that text of strangers can't run code. */
export function page(title: string, body: Html, status = 200, ...permissions: Permission[]): HttpResponse {
  const text = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><main>${body}</main></body>
</html>
`.text;
  return { status, headers: { 'content-security-policy': policy(permissions), 'referrer-policy': 'no-referrer' }, body: text };
}
