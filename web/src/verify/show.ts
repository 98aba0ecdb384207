import type { Check, Report, Verdict } from '@waybill/proof';
import { visibleText } from '../../../server/src/contract/visible-text.ts';
import { certificate, fitPage, type Verification } from './certificate.ts';
import { make, told } from './elements.ts';
import { evidence } from './evidence.ts';
import type { Phrase } from './phrase.ts';
import { type Basis, tell } from './tell.ts';

const VERDICTS: Record<Verdict, [colour: string, title: string, text: string]> = {
  verified: ['good', 'Verified', ''],
  failed: ['bad', 'Not verified', ''],
  untrusted: [
    'warn',
    'Not verified: no trusted key',
    'Anybody can make such a file with a key of their own. Add the key of the log that you know under “Keys that you trust”: not one that came with the file.',
  ],
};
const PARTS: Record<Check['part'], string> = {
  content: 'Content',
  json: 'JSON',
  file: 'File',
  log: 'Log',
  inclusion: 'Inclusion',
  witnesses: 'Witnesses',
  signature: 'Signature',
  key: 'Key',
  'hand-over': 'Hand-over',
  acknowledgement: 'Acknowledgement',
  expiry: 'Non-delivery',
  chain: 'Chain',
  time: 'Time',
  promise: 'Promise',
};
const LABELS = { verified: 'Verified', failed: 'Failed', unchecked: 'Not checked' };
const COLOURS = { verified: 'good', failed: 'bad', unchecked: 'warn' };

/** Returns the verdict. */
export function showFault(target: HTMLElement, text: string): HTMLElement {
  const verdict = box('bad', 'Not a proof', visibleText(text));
  target.replaceChildren(verdict);
  return verdict;
}

/** Returns the verdict. `verification`: of the file, for a certificate. */
export function showReport(target: HTMLElement, report: Report, basis: Basis, verification: Verification): HTMLElement {
  const { verdict, envelope, contentHash, checks } = report;
  const words = tell(report, basis);
  const facts = envelope
    ? list([
        ['Message', envelope.id],
        ['From', `${envelope.from.displayName} (${envelope.from.id}), ${envelope.actor.name}`],
        ['To', `${envelope.to.displayName} (${envelope.to.id})`],
        ['Received', envelope.receivedAt],
        ['Type', envelope.type],
        ['Subject', envelope.subject],
        ['Note', envelope.note],
        ['Files', envelope.files.map(({ filename }) => filename).join('\n')],
        ['Content hash', contentHash],
      ])
    : [];
  const shown = box(...VERDICTS[verdict], words.headline);
  target.replaceChildren(
    make(
      'div',
      '',
      shown,
      ...(verdict === 'verified' ? [printing()] : []),
      evidence(report, words, verification.areKeysPublished),
      ...(facts.length > 0 ? [details('The message', ...facts)] : []),
      details('Every check', make('ul', 'checks', ...checks.map(line))),
    ),
  );
  if (verdict !== 'verified') return shown;
  const sheet = certificate(report, words, verification);
  target.append(sheet);
  fitPage(sheet);
  return shown;
}

function printing(): HTMLElement {
  const button = make('button', 'print', 'Print certificate');
  button.addEventListener('click', () => print());
  return button;
}

function details(title: string, ...content: HTMLElement[]): HTMLElement {
  return make('details', '', make('summary', '', title), ...content);
}

function line(check: Check): HTMLElement {
  const { part, state, text } = check;
  const made = make(
    'li',
    '',
    make('span', `state ${COLOURS[state]}`, LABELS[state]),
    make('span', 'part', PARTS[part]),
    make('bdi', 'text', visibleText(text)),
  );
  made.dataset['part'] = part;
  // For programs that read the page. The text says the same.
  if (check.state === 'failed') made.dataset['reason'] = check.reason;
  return made;
}

function list(facts: [string, string | null][]): HTMLElement[] {
  const known = facts.filter((fact): fact is [string, string] => Boolean(fact[1]));
  return [
    make('dl', '', ...known.flatMap(([name, value]) => [make('dt', '', name), make('dd', '', make('bdi', '', visibleLines(value)))])),
  ];
}

function box(colour: string, title: string, text: string, headline: Phrase = []): HTMLElement {
  const lines = [...(headline.length > 0 ? [make('p', 'headline', ...told(headline))] : []), ...(text === '' ? [] : [make('p', '', text)])];
  return make('div', `verdict ${colour}`, make('h2', '', title), ...lines);
}

/** Notes have lines. */
function visibleLines(text: string): string {
  return text.split('\n').map(visibleText).join('\n');
}
