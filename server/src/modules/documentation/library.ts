import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder of the Markdown files, and of the files below `reference/` for its pages. */
export const FOLDER = path.resolve(import.meta.dirname, '../../../../docs');
const INDEX = 'guides/README.md';

export const HOME = '/docs';
/** Made from the route table. The Markdown file of the same name is for readers of the folder itself. */
export const REFERENCE = '/docs/reference';

export interface Document {
  address: string;
  title: string;
  /** The heading below which the document is listed. The index itself has none. */
  group: string;
  file: string;
  markdown: string;
}

const MOVED: Record<string, string> = {
  'pull-messages': 'receive-behind-a-firewall',
  'receive-webhooks': 'receive-orders-by-webhook',
  'running-it': 'run-it-for-real',
};

let documents: Map<string, Document> | undefined;

/**
 * Key: address. The documents are in reading order, the index first. They are read at the first request, so that the start does not wait
 * for them.
 */
export function library(): ReadonlyMap<string, Document> {
  documents ??= new Map(readDocuments().map((document) => [document.address, document]));
  return documents;
}

export function documentOf(file: string, link: string): Document | undefined {
  const target = path.posix.join(path.posix.dirname(file), link);
  return [...library().values()].find((document) => document.file === target);
}

export function movedTo(name: string): string | undefined {
  const present = Object.hasOwn(MOVED, name) ? MOVED[name] : undefined;
  return present === undefined ? undefined : `${HOME}/${present}`;
}

/** The list in the index defines the documents, their order and their headings. */
function readDocuments(): Document[] {
  const index = read(INDEX);
  return [{ address: HOME, title: 'Documentation', group: '', file: INDEX, markdown: index }, ...listedIn(index)];
}

function listedIn(index: string): Document[] {
  let group = '';
  return index.split('\n').flatMap((line) => {
    group = /^## (.+)$/.exec(line)?.[1] ?? group;
    const [, title, link] = /^- \[([^\]]+)\]\(([^)]+\.md)\)/.exec(line) ?? [];
    if (title === undefined || link === undefined) return [];
    const file = path.posix.join('guides', link);
    return [{ title, group, file, address: `${HOME}/${path.posix.basename(link, '.md').toLowerCase()}`, markdown: read(file) }];
  });
}

function read(file: string): string {
  return readFileSync(path.join(FOLDER, file), 'utf8');
}
