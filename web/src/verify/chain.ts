import type { EvidentStep, Part, Report } from '../../../packages/proof/src/index.ts';
import { count, number } from '../ui/format.ts';
import { type Phrase, plain, quote, quoteId, say } from './phrase.ts';
import { partyName } from './tell.ts';

/** A box of the picture. */
export interface Link {
  state: 'proven' | 'open' | 'failed';
  kind: string;
  title: Phrase;
  detail: Phrase;
  more: Phrase;
}

export interface Chain {
  /** From the message to what others than the operator say of it. */
  anchors: Link[];
  /** What happened to the message, in order. */
  steps: Link[];
}

const SUBJECT_PARTS: Part[] = ['content', 'json', 'file', 'signature', 'key'];
const STEP_PARTS: Part[] = ['hand-over', 'acknowledgement', 'expiry'];

/**
 * The links of a report. At most `stepsMax` steps, of which one says how many are left out. `areKeysPublished`: by the service, which could have made up
 * its witnesses.
 */
export function chainOf(report: Report, stepsMax: number, areKeysPublished: boolean): Chain {
  const { evidence, verdict, checks } = report;
  const isTrusted = verdict !== 'untrusted';
  const stateOf = (isThere: boolean, ...parts: Part[]): Link['state'] => {
    if (checks.some(({ part, state }) => state === 'failed' && parts.includes(part))) return 'failed';
    return isThere && isTrusted ? 'proven' : 'open';
  };
  const steps = evidence.steps.map((step) => stepLink(step, stateOf(isSigned(step), 'chain')));
  const broken = checks.filter(({ part, state }) => state === 'failed' && STEP_PARTS.includes(part)).length;
  if (broken > 0) steps.push({ state: 'failed', kind: count(broken, 'step'), title: say`Does not hold`, detail: [], more: [] });
  const omitted = steps.length - stepsMax + 1;
  if (steps.length > stepsMax)
    steps.splice(1, omitted, { state: 'open', kind: '…', title: say`${count(omitted, 'step')} more`, detail: [], more: [] });
  return { anchors: anchorsOf(report, stateOf, areKeysPublished), steps };
}

function anchorsOf(
  { envelope, contentHash, evidence, checks }: Report,
  stateOf: (isThere: boolean, ...parts: Part[]) => Link['state'],
  areKeysPublished: boolean,
): Link[] {
  const { place, sender, timestamps } = evidence;
  const [witness] = place?.witnesses ?? [];
  const stamp = timestamps.find(({ isTrusted }) => isTrusted) ?? timestamps[0];
  return [
    {
      // Without a signature, the message has the operator's word, and its hash.
      state: stateOf(place !== undefined, ...SUBJECT_PARTS),
      kind: 'Message',
      title: envelope?.subject ? say`${quote(envelope.subject)}` : say`${contentHash.slice(7, 19)}…`,
      detail: envelope ? say`${quoteId(envelope.from.id)} → ${quoteId(envelope.to.id)}` : say`Content hash`,
      more: sender ? (sender.notCovered.length === 0 ? say`Signed` : say`Signed in part`) : say`Not signed`,
    },
    {
      state: stateOf(place !== undefined, 'inclusion'),
      kind: 'Log entry',
      title: place ? say`#${number(place.index)}` : say`None`,
      detail: place ? say`of ${number(place.checkpoint.size)}` : [],
      more: place ? say`${quoteId(place.checkpoint.origin)}` : [],
    },
    {
      state: stateOf(place !== undefined, 'log'),
      kind: 'Checkpoint',
      title: place ? say`Signed` : say`None`,
      detail: place ? say`by the log’s key` : [],
      more: place ? say`${place.log.keyId}` : [],
    },
    {
      state: stateOf(witness !== undefined && !areKeysPublished, 'witnesses'),
      kind: 'Witnesses',
      title: witness ? count(place?.witnesses.length ?? 0, 'witness', 'witnesses').split('\n') : say`None`,
      detail: !witness
        ? say`that you trust`
        : areKeysPublished
          ? say`Operator’s word`
          : say`${quote(place?.witnesses.map(({ name }) => name).join(', ') ?? '')}`,
      more: witness ? say`${shortTime(new Date(1_000 * witness.time))}` : [],
    },
    {
      state: stateOf(stamp?.isTrusted === true, ...(checks.some(({ part }) => part === 'time') ? (['time'] as const) : [])),
      kind: 'Timestamp',
      title: stamp ? say`${quote(stamp.authority)}` : say`None`,
      detail: stamp ? say`${stamp.isTrusted ? 'Trusted' : 'Not checked'}` : [],
      more: stamp ? say`${shortTime(stamp.time)}` : [],
    },
  ];
}

/** Whether others than the operator say that it happened, and that it was so. */
function isSigned({ said }: EvidentStep): boolean {
  return said?.signature?.notCovered.length === 0;
}

function stepLink(step: EvidentStep, state: Link['state']): Link {
  const { kind, number: at, at: time, party, said } = step;
  const status = said?.status ?? '';
  const name =
    kind === 'hand-over' ? 'Handed over' : kind === 'expiry' ? 'Not taken' : `${status.charAt(0).toUpperCase()}${status.slice(1)}`;
  return {
    state,
    kind: at === undefined ? 'Step' : `Step ${at}`,
    title: say`${name}`,
    detail: isSigned(step) ? say`Signed by ${partyName(party)}` : say`Operator’s word`,
    more: say`${shortTime(new Date(time))}`,
  };
}

/** For programs that read the page to people who do not see it. */
export function chainInWords({ anchors, steps }: Chain): string {
  const words = { proven: '', open: ' (not proven)', failed: ' (failed)' };
  const one = ({ state, kind, title, detail, more }: Link) =>
    `${[kind, plain(title, 40), plain(detail, 40), plain(more, 40)].filter((text) => text !== '').join(', ')}${words[state]}`;
  const later = steps.length === 0 ? '' : ` What happened to it, in order: ${steps.map(one).join('; ')}.`;
  return `How the message is secured: ${anchors.map(one).join('; ')}.${later}`;
}

/** Without the date's words, which do not fit a box. */
function shortTime(time: Date): string {
  return time.toISOString().slice(0, 16).replace('T', ' ');
}
