import type { Report } from '../../../packages/proof/src/index.ts';
import { chainOf } from './chain.ts';
import { type Content, make, told } from './elements.ts';
import type { Phrase } from './phrase.ts';
import { picture } from './picture.ts';
import type { Claim, Standing, Told } from './tell.ts';

/* What a report proves, as a part of a page. */

const STEPS_SHOWN_MAX = 10;
const HOLDS = { yes: 'Holds', partly: 'Holds in part', no: 'Does not hold' };

export function evidence(report: Report, words: Told, areKeysPublished: boolean): HTMLElement {
  const { failed, proven, open, standings } = words;
  return make(
    'div',
    'evidence',
    ...chainPart(report, areKeysPublished),
    ...part('What does not hold', failed, (list) => make('ul', 'claims failed', ...list.map((text) => make('li', '', ...told(text))))),
    ...part('Proven', proven, (list) => make('ol', 'claims', ...list.map(claim))),
    ...part('Against whom it holds', standings, (list) => make('dl', 'standings', ...list.flatMap(standing))),
    ...part('Not proven', open, (list) => make('ul', 'claims open', ...list.map((text) => make('li', '', ...told(text))))),
  );
}

function chainPart(report: Report, areKeysPublished: boolean): HTMLElement[] {
  if (!report.evidence.place && !report.envelope) return [];
  return [picture(chainOf(report, STEPS_SHOWN_MAX, areKeysPublished))];
}

function part<T>(title: string, items: readonly T[], show: (items: readonly T[]) => HTMLElement): HTMLElement[] {
  return items.length === 0 ? [] : [make('h3', '', title), show(items)];
}

function claim({ text, by }: Claim): HTMLElement {
  return make('li', '', ...told(text), make('span', 'by', ...word(by)));
}

function word(by: Phrase): Content[] {
  return ['Whose word: ', ...told(by), '.'];
}

function standing({ party, who, holds, text }: Standing): HTMLElement[] {
  return [
    make('dt', '', party, make('span', 'who', ...told(who, 60))),
    make('dd', '', make('span', `holds ${holds}`, HOLDS[holds]), ' ', ...told(text)),
  ];
}
