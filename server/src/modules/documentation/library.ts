import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Html } from '../../contract/html.ts';
import { renderMarkdown } from './markdown.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../../docs');
const INDEX = 'guides/README.md';

export const HOME = '/docs';
/** Made from the API's table. The Markdown file in its place is for whoever reads the folder itself. */
export const REFERENCE = '/docs/reference';

export interface Entry {
  address: string;
  title: string;
  /** The heading that it is listed below. */
  group: string;
}

export interface Library {
  /** All pages but the first, in order. */
  entries: Entry[];
  /** By address, the reference left out. */
  documents: Map<string, { title: string; body: Html }>;
}

let kept: Library | undefined;

/** Read and rendered when somebody first asks, not at the start, which would take a tenth of a second longer. */
export function library(): Library {
  kept ??= readLibrary();
  return kept;
}

/** The list in the index says which documents there are, in which order, below which heading. */
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
