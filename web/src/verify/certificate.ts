import type { EnvelopeStatement, Report } from '../../../packages/proof/src/index.ts';
import { bytes, count, number, utcTime } from '../ui/format.ts';
import { qrCode } from '../ui/qr-code.ts';
import { chainOf } from './chain.ts';
import { type Content, draw, make, told } from './elements.ts';
import { type Phrase, quote, quoteId, say } from './phrase.ts';
import { widePicture } from './picture.ts';
import { partyName, type Told } from './tell.ts';

/* A sheet of paper about a verification. */

/** What a certificate says beside the report. */
export interface Verification {
  at: Date;
  /** SHA-256 of the file that was verified. */
  fileSha256: string;
  /** The link to the receipt. Undefined: the code has the content hash. */
  receiptUrl: string | undefined;
  /** The page where the file can be verified again. */
  verifier: string;
  /** The keys of log, witnesses and parties by which it was verified, and whether the service published them. */
  keys: readonly string[];
  areKeysPublished: boolean;
}

const NAME_LETTERS = 32;
const FACT_LETTERS = 60;
/** No mail address and no domain is longer. A message id or a handle could be, if an operator wants to push the rest off the sheet. */
const ID_LETTERS = 320;
const FILES_SHOWN_MAX = 2;
const KEYS_SHOWN_MAX = 6;
const STEPS_SHOWN_MAX = 5;

export function certificate(report: Report, words: Told, verification: Verification): HTMLElement {
  const { contentHash, envelope, evidence } = report;
  const code = verification.receiptUrl ?? contentHash;
  const sheet = make(
    'section',
    'certificate',
    make(
      'header',
      '',
      make('div', '', make('p', 'kind', 'Certificate of verification'), make('h1', '', ...told(words.headline, NAME_LETTERS))),
      make('figure', 'code', qrImage(code), make('figcaption', '', verification.receiptUrl ? 'Receipt' : 'Content hash')),
    ),
    facts([...(envelope ? messageFacts(envelope) : []), ['Content hash', say`${contentHash}`], ...proofFacts(report, verification)]),
    ...(evidence.place ? [widePicture(chainOf(report, STEPS_SHOWN_MAX, verification.areKeysPublished))] : []),
    ...list(
      'Proven',
      words.proven.map(({ text, by }) => [...told(text, NAME_LETTERS), make('i', '', ' — ', ...told(by, NAME_LETTERS), '.')]),
    ),
    ...list(
      'Not proven',
      words.open.map((text) => told(text, NAME_LETTERS)),
    ),
    make('p', 'signature', make('span', '', 'Verified by (name, signature)'), make('span', '', 'Place, date')),
    make(
      'p',
      'note',
      `This sheet summarises the file with the SHA-256 above; anybody could have typed it. The evidence is the file. Verify it again at ${verification.verifier}, or offline with a saved copy of that page.`,
    ),
  );
  sheet.setAttribute('aria-label', 'Certificate of verification');
  return sheet;
}

const POINTS = { most: 8.25, least: 5 };

/** Makes the letters of a certificate, which is in the page already, as small as it takes to fit its page. */
export function fitPage(sheet: HTMLElement): void {
  sheet.classList.add('measured');
  for (let points = POINTS.most; points >= POINTS.least; points -= 0.25) {
    sheet.style.fontSize = `${points}pt`;
    if (sheet.scrollHeight <= sheet.clientHeight) break;
  }
  sheet.classList.remove('measured');
}

type Fact = [name: string, value: Phrase];

function messageFacts({ id, type, subject, from, actor, to, receivedAt, files }: EnvelopeStatement): Fact[] {
  const shown = files.slice(0, FILES_SHOWN_MAX).map(({ filename, sizeBytes }) => say`${quote(filename)} (${bytes(sizeBytes)})`);
  const rest = files.length - shown.length;
  const named = shown.flatMap((file, at) => [...(at === 0 ? [] : ['; ']), ...file]);
  return [
    ['Message', say`${quote(subject ?? 'No subject')}${type === null ? [] : say` · ${quote(type)}`} · ${quote(id)}`],
    ['From', say`${partyName(from)}, ${quote(actor.name)}`],
    ['To', partyName(to)],
    ['Received', say`${utcTime(new Date(receivedAt))}, by the word of the service`],
    ...(files.length === 0 ? [] : [['Files', say`${named}${rest > 0 ? `, and ${count(rest, 'more file')}` : ''}`] satisfies Fact]),
  ];
}

function proofFacts({ evidence: { place } }: Report, { fileSha256, at, keys, areKeysPublished }: Verification): Fact[] {
  const shown = keys.slice(0, KEYS_SHOWN_MAX).flatMap((key, index) => [...(index === 0 ? [] : [', ']), quoteId(key)]);
  const rest = keys.length - KEYS_SHOWN_MAX;
  return [
    ['Proof file', say`${fileSha256}`],
    ...(place
      ? [
          [
            'Log entry',
            say`#${number(place.index)} of ${number(place.checkpoint.size)} in ${quoteId(place.checkpoint.origin)}`,
          ] satisfies Fact,
        ]
      : []),
    ['Verified', say`${utcTime(at)}, in a browser`],
    [
      areKeysPublished ? 'By keys of the service' : 'By keys of the reader',
      say`${shown}${rest > 0 ? ` and ${count(rest, 'more key')}` : ''}`,
    ],
  ];
}

/** Ids are printed whole here. Elsewhere on the sheet, their middle is left out. */
function facts(all: readonly Fact[]): HTMLElement {
  return make(
    'dl',
    'fields',
    ...all.flatMap(([name, value]) => [make('dt', '', name), make('dd', '', ...told(value, FACT_LETTERS, ID_LETTERS))]),
  );
}

function list(title: string, items: readonly (readonly Content[])[]): HTMLElement[] {
  return [make('h2', '', title), make('ol', '', ...items.map((item) => make('li', '', ...item)))];
}

function qrImage(text: string): SVGElement {
  const { size, path } = qrCode(text);
  return draw(
    'svg',
    { viewBox: `0 0 ${size} ${size}`, 'shape-rendering': 'crispEdges', role: 'img', 'aria-label': `QR code: ${text}` },
    draw('rect', { width: size, height: size, fill: '#ffffff' }),
    draw('path', { d: path, fill: '#000000' }),
  );
}
