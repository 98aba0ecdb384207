import { Html, html } from '../../contract/html.ts';
import { type Document, HOME, REFERENCE } from './library.ts';
import type { Heading } from './markdown.ts';
import { methodTag } from './operation-page.ts';
import type { Area } from './operations.ts';

const MARK = new Html(
  '<svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#1d4ed8"/><path d="M7 10.5l4.2 11 4.8-11 4.8 11 4.2-11" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>',
);

export interface Site {
  documents: Document[];
  areas: Area[];
}

/** A page between its navigation and its contents. It works without a script, which adds search, copying and trying. */
export function frame({ documents, areas }: Site, address: string, body: Html, headings: Heading[] = []): Html {
  const isWide = body.text.startsWith('<div class="columns">');
  return html`<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<button class="menu" type="button" popovertarget="pages" aria-label="Pages">☰</button>
<a class="brand" href="/">${MARK}Waybill</a><a class="docs" href="${HOME}">Docs</a>
<span class="tools"></span>
<a class="out" href="${REFERENCE}">API</a><a class="out" href="${HOME}/changelog">Changelog</a><a class="out" href="/inbox">Dashboard</a>
</header>
<div class="frame${isWide && ' wide'}">
<nav id="pages" class="pages" popover aria-label="Documentation">${pageList(documents, areas, address)}</nav>
<main id="content" tabindex="-1">
${body}
${turns(documents, areas, address)}
</main>
${headings.length > 1 && contents(headings)}
</div>`;
}

function pageList(documents: Document[], areas: Area[], address: string): Html {
  const groups = [...Map.groupBy(documents, ({ group }) => group)];
  return html`${groups.map(
    ([group, members]) =>
      html`${group !== '' && html`<p>${group}</p>`}<ul>${members.map((document) => link(document.address, document.title, address))}</ul>`,
  )}<p>Endpoints</p>${areas.map(
    ({
      name,
      endpoints,
    }) => html`<details${endpoints.some((endpoint) => endpoint.address === address) && ' open'}><summary>${name}</summary>
<ul>${endpoints.map((endpoint) => link(endpoint.address, html`${endpoint.title} ${methodTag(endpoint.method)}`, address))}</ul></details>`,
  )}`;
}

function link(target: string, title: string | Html, current: string): Html {
  return html`<li><a href="${target}"${target === current && html` aria-current="page"`}>${title}</a></li>`;
}

function contents(headings: Heading[]): Html {
  const shown = headings.filter(({ depth }) => depth <= 3);
  return html`<nav class="contents" aria-labelledby="contents-title"><p id="contents-title">On this page</p><ul>
${shown.map(({ depth, anchor, name }) => html`<li${depth > 2 && html` class="inner"`}><a href="#${anchor}">${name}</a></li>`)}
</ul></nav>`;
}

function turns(documents: Document[], areas: Area[], address: string): Html | false {
  const endpoints = areas.flatMap((area) => area.endpoints);
  const all = endpoints.some((endpoint) => endpoint.address === address) ? endpoints : documents;
  const place = all.findIndex((page) => page.address === address);
  const [previous, next] = place < 0 ? [] : [all[place - 1], all[place + 1]];
  if (!previous && !next) return false;
  return html`<nav class="turn" aria-label="Previous and next">
${previous && html`<a rel="prev" href="${previous.address}"><span>Previous</span>${previous.title}</a>`}
${next && html`<a rel="next" class="next" href="${next.address}"><span>Next</span>${next.title}</a>`}
</nav>`;
}
