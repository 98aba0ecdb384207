import { type Html, html } from '../../contract/html.ts';
import type { HttpResponse } from '../../http/endpoint.ts';
import { pageWithLandmarks } from '../../http/page.ts';
import { type Document, HOME } from './library.ts';

type Entry = Pick<Document, 'address' | 'title' | 'group'>;

const STYLE = `
.skip{position:absolute;left:1rem;top:-5rem;background:var(--paper);padding:.5rem 1rem;z-index:1}.skip:focus{top:.75rem}
.frame{display:grid;grid-template-columns:15rem minmax(0,1fr);gap:0 4rem;max-width:76rem;margin:0 auto;padding:0 1.5rem}
.side{position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding:2.5rem 0 3rem}
.menu{display:none}
.brand{font-weight:650;letter-spacing:-.01em;color:var(--ink);text-decoration:none;display:inline-block;padding:.25rem .75rem}
.pages p{font-size:.8125rem;font-weight:500;color:var(--soft);margin:1.75rem 0 .375rem;padding:0 .75rem}
.pages ul{list-style:none;margin:0;padding:0;font-size:.9375rem;line-height:1.4}
.pages li a{display:block;padding:.3125rem .75rem;border-radius:.375rem;color:var(--soft);text-decoration:none}
.pages li a:hover{color:var(--ink);background:var(--tint)}
.pages li a[aria-current]{color:var(--ink);background:var(--tint);font-weight:550}
main{max-width:50rem;width:100%;margin:0;padding:2.75rem 0 5rem}
main:focus{outline:0}
main li{margin:.375rem 0}
main ul,main ol{padding-left:1.375rem}
:not(pre,h2)>code{background:var(--tint);border-radius:.25rem;padding:.0625rem .25rem}
pre{font-size:.8125rem;margin:1rem 0;tab-size:4}
pre code{font-size:inherit}
td:first-child{min-width:6rem}
:is(h2,h3){position:relative}
.anchor{position:absolute;left:-1.25rem;width:1.25rem;color:var(--soft);text-decoration:none;font-weight:400;opacity:0}
:is(h2,h3):hover .anchor,.anchor:focus{opacity:1}
.contents{border:1px solid var(--line);border-radius:.5rem;padding:.75rem 1.25rem;margin:2rem 0;font-size:.875rem}
.contents ul{list-style:none;padding:0;margin:.5rem 0;columns:2 17rem;column-gap:2rem}
.contents li{margin:0;padding:.125rem 0}
.contents a,.turn a{text-decoration:none}
.reference h3{font-size:.8125rem;font-weight:550;color:var(--soft);margin:1.5rem 0 .25rem}
.operation code{margin-right:.625rem}
.operation{margin-top:3.5rem;padding-top:2rem;border-top:1px solid var(--line)}
.contents .method{display:inline-block;min-width:3.75rem;font-weight:500;color:var(--soft)}
.method{font-weight:600;margin-right:.5rem}
.tag{font-size:.8125rem;font-weight:400;letter-spacing:0;color:var(--soft);border:1px solid var(--line);border-radius:1rem;padding:.125rem .625rem;white-space:nowrap}
.turn{display:flex;justify-content:space-between;flex-wrap:wrap;gap:1rem;border-top:1px solid var(--line);margin-top:4rem;padding-top:1.5rem}
.turn a{padding:.25rem 0}.turn a:hover{text-decoration:underline}.turn span{display:block;font-size:.8125rem;color:var(--soft)}.turn .next{margin-left:auto;text-align:right}
@media (max-width:56rem){.frame{display:block;max-width:50rem;padding:0 1.25rem}.side{display:none}main{padding-top:1.75rem}
.menu{display:block;border-bottom:1px solid var(--line);padding:.75rem 0}
.menu summary{cursor:pointer;padding:.25rem 0;font-weight:550}.menu .pages{padding-bottom:1rem}.menu .pages p,.menu li a,.menu .brand{padding-left:0}}
@media (max-width:40rem){td:first-child{min-width:0}}
@media print{.side,.menu,.turn,.anchor{display:none}.frame{display:block}}
`;

/** A page with the list of all pages: in a column, or on small screens in a list that unfolds. */
export function documentationPage(entries: Entry[], address: string, title: string, body: Html, status = 200): HttpResponse {
  const pages = html`<a class="brand" href="/">Waybill</a><ul>${link(HOME, 'Documentation', address)}</ul>${groupsOf(entries).map(
    ([group, members]) => html`<p>${group}</p><ul>${members.map((entry) => link(entry.address, entry.title, address))}</ul>`,
  )}`;
  const content = html`<a class="skip" href="#content">Skip to the content</a>
<div class="frame">
<nav class="side pages" aria-label="Documentation">${pages}</nav>
<details class="menu"><summary>Waybill documentation</summary><nav class="pages" aria-label="Documentation">${pages}</nav></details>
<main id="content" tabindex="-1">
${body}
${turns(entries, address)}
</main>
</div>`;
  return pageWithLandmarks(`${title} · Waybill`, content, STYLE, status);
}

function link(target: string, title: string, current: string): Html {
  return html`<li><a href="${target}"${target === current && html` aria-current="page"`}>${title}</a></li>`;
}

function groupsOf(entries: Entry[]): [group: string, members: Entry[]][] {
  return [...Map.groupBy(entries, ({ group }) => group)];
}

function turns(entries: Entry[], address: string): Html | false {
  const all = [{ address: HOME, title: 'Documentation' }, ...entries];
  const place = all.findIndex((entry) => entry.address === address);
  const [previous, next] = place < 0 ? [] : [all[place - 1], all[place + 1]];
  if (!previous && !next) return false;
  return html`<nav class="turn" aria-label="Previous and next">
${previous && html`<a rel="prev" href="${previous.address}"><span>Previous</span>${previous.title}</a>`}
${next && html`<a rel="next" class="next" href="${next.address}"><span>Next</span>${next.title}</a>`}
</nav>`;
}
