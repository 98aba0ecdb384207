import MiniSearch from 'minisearch';
import { element } from './element.ts';

interface Section {
  address: string;
  page: string;
  heading: string;
  text: string;
}

const SHOWN_MAX = 12;
const CONTEXT = [40, 100] as const;

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

const input = element('input', {
  type: 'text',
  enterkeyhint: 'go',
  role: 'combobox',
  'aria-label': 'Search the documentation',
  'aria-controls': 'search-results',
  'aria-expanded': 'true',
  'aria-autocomplete': 'list',
  placeholder: 'Search guides, endpoints, errors…',
  autocomplete: 'off',
  spellcheck: 'false',
});
const results = element('div', { role: 'listbox', id: 'search-results', 'aria-label': 'Results' });
const note = element('p', { class: 'note', role: 'status' });
const dialog = element('dialog', { class: 'search', 'aria-label': 'Search' }, input, results, note);
document.body.append(dialog);

let index: Promise<MiniSearch<Section>> | undefined;
let selected = 0;

export function openSearch(): void {
  if (!dialog.open) dialog.showModal();
  input.select();
  void search();
}

async function readIndex(): Promise<MiniSearch<Section>> {
  const response = await fetch('/docs/search.json');
  if (!response.ok) throw new Error(String(response.status));
  const sections: Section[] = await response.json();
  const read = new MiniSearch<Section>({
    idField: 'address',
    fields: ['page', 'heading', 'text'],
    storeFields: ['page', 'heading', 'text'],
    // Names such as `next_cursor` and `/v1/inbox` are found whole, and by their parts.
    tokenize: (text) => [...text.split(/[\s"'`,;:(){}[\]<>|]+/), ...text.split(/[^\p{L}\p{N}]+/u)].filter((word) => word !== ''),
    searchOptions: { boost: { page: 4, heading: 3 }, prefix: true, fuzzy: (word) => (word.length > 4 ? 0.25 : false), combineWith: 'AND' },
  });
  read.addAll(sections);
  return read;
}

async function search(): Promise<void> {
  const words = input.value.trim();
  if (words === '') return show([], [], 'Type to search.');
  try {
    index ??= readIndex();
    const found = (await index).search(words).slice(0, SHOWN_MAX);
    if (words !== input.value.trim()) return;
    const sections = found.map(({ id, page, heading, text }): Section => ({ address: id, page, heading, text }));
    show(
      sections,
      found.flatMap(({ terms }) => terms),
      found.length === 0 ? 'No results' : '',
    );
  } catch {
    index = undefined;
    show([], [], 'The search couldn’t be loaded. Try again in a moment.');
  }
}

function show(sections: Section[], terms: string[], message: string): void {
  results.replaceChildren(...sections.map((section, i) => option(section, terms, i)));
  note.textContent = message;
  note.hidden = message === '';
  select(0);
}

function option({ address, page, heading, text }: Section, terms: string[], at: number): HTMLElement {
  const title = heading === '' ? page : `${page} › ${heading}`;
  const made = element('a', { role: 'option', id: `search-result-${at}`, href: address, tabindex: '-1' }, ...marked(title, terms));
  made.append(element('span', {}, ...marked(excerpt(text, terms), terms)));
  made.addEventListener('click', () => dialog.close());
  return made;
}

function excerpt(text: string, terms: string[]): string {
  const lowered = text.toLowerCase();
  const places = terms.map((term) => lowered.indexOf(term)).filter((place) => place >= 0);
  const place = places.length === 0 ? 0 : Math.min(...places);
  const start = Math.max(0, place - CONTEXT[0]);
  return `${start > 0 ? '…' : ''}${text.slice(start, place + CONTEXT[1])}`;
}

function marked(text: string, terms: string[]): (string | Node)[] {
  if (terms.length === 0) return [text];
  const escaped = [...new Set(terms)].toSorted((a, b) => b.length - a.length).map((term) => term.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return text.split(new RegExp(`(${escaped.join('|')})`, 'iu')).map((part, i) => (i % 2 === 1 ? element('mark', {}, part) : part));
}

function select(at: number): void {
  const options = [...results.querySelectorAll('[role=option]')];
  selected = Math.max(0, Math.min(at, options.length - 1));
  for (const [i, one] of options.entries()) one.setAttribute('aria-selected', String(i === selected));
  const current = options[selected];
  if (current) input.setAttribute('aria-activedescendant', current.id);
  else input.removeAttribute('aria-activedescendant');
  current?.scrollIntoView({ block: 'nearest' });
}

input.addEventListener('input', () => void search());
input.addEventListener('keydown', (event) => {
  const step = STEPS[event.key];
  if (step !== undefined) select(selected + step);
  else if (event.key === 'Enter') results.querySelector<HTMLElement>('[aria-selected=true]')?.click();
  else return;
  event.preventDefault();
});
dialog.addEventListener('click', (event) => {
  if (event.target === dialog) dialog.close();
});
