import { parentPort } from 'node:worker_threads';
import { compile } from 'html-to-text';

const SHOWN_LINK = /^(https?:|mailto:)[^\s<>]+$/i;
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

const textOf = compile({
  wordwrap: false,
  formatters: {
    cell: (element, walk, builder) => {
      walk(element.children, builder);
      builder.addInline(' ');
    },
  },
  selectors: [
    { selector: 'img', format: 'skip' },
    {
      selector: 'a',
      options: {
        linkBrackets: ['<', '>'],
        hideLinkHrefIfSameAsText: true,
        pathRewrite: (path: string) => (SHOWN_LINK.test(path) || /^[^\s<>@:]+@[^\s<>@:]+$/.test(path) ? path : ''),
      },
    },
    { selector: 'ul', options: { itemPrefix: '- ' } },
    { selector: 'table', format: 'block' },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'td', format: 'cell' },
    { selector: 'th', format: 'cell' },
    ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

// Non-breaking spaces are only layout.
parentPort?.on('message', (html: string) => parentPort?.postMessage(textOf(html).replaceAll('\u{a0}', ' ')));
