import type { Check, Report, Verdict } from '@waybill/proof';

/* Everything that strangers wrote is shown as text, and never as HTML. */

const VERDICTS: Record<Verdict, [colour: string, title: string, text: string]> = {
  verified: ['good', 'Verified', 'Everything that this file claims holds, except what is marked as not checked.'],
  failed: ['bad', 'Not verified', 'Something in this file does not hold.'],
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
  acknowledgement: 'Acknowledgement',
  time: 'Time',
};
const LABELS = { verified: 'Verified', failed: 'Failed', unchecked: 'Not checked' };
const COLOURS = { verified: 'good', failed: 'bad', unchecked: 'warn' };

export function showFault(target: HTMLElement, text: string): void {
  target.replaceChildren(box('bad', 'Not a proof', text));
}

export function showReport(target: HTMLElement, { verdict, envelope, contentHash, checks }: Report): void {
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
  const lines = make('ul', '', ...checks.map(line));
  target.replaceChildren(box(...VERDICTS[verdict]), ...facts, lines);
}

function line({ part, state, text }: Check): HTMLElement {
  return make(
    'li',
    '',
    make('span', `state ${COLOURS[state]}`, LABELS[state]),
    make('span', 'part', PARTS[part]),
    make('bdi', 'text', text),
  );
}

function list(facts: [string, string | null][]): HTMLElement[] {
  const known = facts.filter((fact): fact is [string, string] => Boolean(fact[1]));
  return [make('dl', '', ...known.flatMap(([name, value]) => [make('dt', '', name), make('dd', '', make('bdi', '', value))]))];
}

function box(colour: string, title: string, text: string): HTMLElement {
  return make('div', `verdict ${colour}`, make('h2', '', title), make('p', '', text));
}

function make(tag: string, className: string, ...content: (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.append(...content);
  return made;
}
