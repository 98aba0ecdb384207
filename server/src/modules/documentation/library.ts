import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Html } from '../../contract/html.ts';
import { renderMarkdown } from './markdown.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../../docs');
const INDEX = 'guides/README.md';

export const HOME = '/docs';
/** Generated from the route table. The Markdown file of the same name is for readers of the folder itself. */
export const REFERENCE = '/docs/reference';

export interface Entry {
  address: string;
  title: string;
  /** The heading below which it is listed. */
  group: string;
}

export interface Library {
  /** All pages but the first, in order. */
  entries: Entry[];
  /** By address, without the reference. */
  documents: Map<string, { title: string; body: Html }>;
}

let kept: Library | undefined;

/** Read and rendered at the first request: at the start it would take a tenth of a second. */
export function library(): Library {
  kept ??= readLibrary();
  return kept;
}

/** The list in the index defines the documents, their order and their headings. */
function readLibrary(): Library {
  const index = read(INDEX);
  const listed = entriesOf(index);
  const addresses = new Map([[INDEX, HOME], ...listed.map(({ file, address }) => [file, address] as const)]);
  const render = (file: string, text: string) =>
    renderMarkdown(text, (link) => addresses.get(path.posix.join(path.posix.dirname(file), link)));
  const written = listed.filter(({ address }) => address !== REFERENCE);
  return {
    entries: listed,
    documents: new Map([
      [HOME, { title: 'Documentation', body: render(INDEX, index) }],
      ...written.map(({ address, title, file }) => [address, { title, body: render(file, read(file)) }] as const),
    ]),
  };
}

function entriesOf(index: string): (Entry & { file: string })[] {
  let group = '';
  return index.split('\n').flatMap((line) => {
    group = /^## (.+)$/.exec(line)?.[1] ?? group;
    const [, title, link] = /^- \[([^\]]+)\]\(([^)]+\.md)\)/.exec(line) ?? [];
    if (title === undefined || link === undefined) return [];
    return [{ title, group, file: path.posix.join('guides', link), address: `${HOME}/${path.posix.basename(link, '.md')}` }];
  });
}

function read(file: string): string {
  return readFileSync(path.join(FOLDER, file), 'utf8');
}
