import type { EnvelopeStatement, EvidentSignature, EvidentStep, Party, Report, Signatory } from '../../../packages/proof/src/index.ts';
import { count, number, utcTime } from '../ui/format.ts';
import { listed, type Phrase, quote, quoteId, say } from './phrase.ts';

/* A report in sentences: what is proven, on whose word, against whom, and what is not proven. The receipt page and verify.html show the same. */

/** What a page knows of a verification beside its report. */
export interface Basis {
  /** The host whose page got the keys from the service itself. Undefined: the reader gave the keys. */
  publishedBy?: string | undefined;
  /** The number of files that the reader compared. */
  comparedFiles: number;
  /** The reader compared JSON, beside that in the proof. */
  isJsonCompared: boolean;
}

export interface Claim {
  text: Phrase;
  /** Whose word it is. */
  by: Phrase;
}

export interface Standing {
  party: 'Sender' | 'Recipient' | 'Operator';
  who: Phrase;
  holds: 'yes' | 'partly' | 'no';
  text: Phrase;
}

export interface Told {
  tone: 'good' | 'warn' | 'bad';
  headline: Phrase;
  failed: Phrase[];
  proven: Claim[];
  open: Phrase[];
  /** Against whom the proof can be used. */
  standings: Standing[];
}

/** More of them say nothing new. */
const STEPS_TOLD_MAX = 4;
const FILES_NAMED_MAX = 2;

export function tell(report: Report, basis: Basis): Told {
  if (report.verdict === 'failed') return broken(report);
  if (report.verdict === 'untrusted') return unfounded(report);
  const proven = [...contents(report, basis), ...times(report, basis), ...steps(report)];
  const told = { tone: 'good' as const, failed: [], proven, open: open(report, basis), standings: standings(report, basis) };
  return { ...told, headline: headline(report) };
}

export function partyName({ displayName, id }: Party): Phrase {
  return displayName === id ? say`${quoteId(id)}` : say`${quote(displayName)} (${quoteId(id)})`;
}

function broken({ checks }: Report): Told {
  const failed = checks.filter(({ state }) => state === 'failed').map(({ text }) => say`${quote(text)}`);
  const headline = say`Do not rely on this file: something in it, or in what you compared with it, does not hold.`;
  return { tone: 'bad', headline, failed, proven: [], open: [], standings: [] };
}

function unfounded({ envelope }: Report): Told {
  const claimed = envelope
    ? say`The file says that ${partyName(envelope.from)} sent a message to ${partyName(envelope.to)}. Nothing in the file contradicts itself, but anybody can make such a file with keys of their own.`
    : say`Nothing in the file contradicts itself, but anybody can make such a file with keys of their own.`;
  return { tone: 'warn', headline: say`Nothing is proven yet.`, failed: [], proven: [], open: [claimed], standings: [] };
}

function headline({ envelope, evidence, signers }: Report): Phrase {
  if (!envelope) return say`The log has a message with this content hash.`;
  const sent = say`${partyName(envelope.from)} sent this message to ${partyName(envelope.to)}.`;
  const told = isWholly(evidence.sender) ? sent : say`By the operator’s word, ${sent}`;
  const ifTheirs = signers.some(({ isKnown }) => !isKnown) ? ' This holds if the keys that signed are theirs.' : '';
  return say`${told}${outcome(evidence.steps, envelope)}${ifTheirs}`;
}

function outcome(all: readonly EvidentStep[], { to }: EnvelopeStatement): Phrase {
  const last = all.findLast(({ kind }) => kind === 'acknowledgement') ?? all.at(-1);
  if (!last) return [];
  if (last.kind === 'expiry') return say` By the operator’s word, nobody took it in time.`;
  if (!last.said) return say` By the operator’s word, it was handed over.`;
  const { status, signature } = last.said;
  if (!isWholly(signature)) return say` By the operator’s word, the recipient ${status} it.`;
  if (isSameParty(last.party, to)) return say` The recipient ${status} it.`;
  return say` ${partyName(last.party)} ${status} it: by the operator’s word, that is the recipient.`;
}

function contents({ envelope, contentHash, evidence, checks }: Report, { comparedFiles, isJsonCompared }: Basis): Claim[] {
  const claims: Claim[] = [];
  const { place, sender } = evidence;
  if (place) {
    const where = say`Entry ${number(place.index)} of the log ${quoteId(place.checkpoint.origin)}`;
    const operator = say`The operator of the log, by its signature`;
    if (!envelope) claims.push({ text: say`${where} is a message with the content hash ${contentHash}.`, by: operator });
    else
      claims.push({
        text: say`${where} is this message${envelope.subject === null ? [] : say`, “${quote(envelope.subject)}”,`} from ${partyName(envelope.from)} to ${partyName(envelope.to)}. ${partsOf(envelope)} have not changed since.`,
        by: operator,
      });
  }
  if (envelope && sender && isWholly(sender))
    claims.push({
      text: say`The agent ${quote(envelope.actor.name)} signed this message: its content, ${envelope.files.length > 0 ? 'the bytes of its files, ' : ''}its recipient and the service. Nobody without the key ${quoteId(sender.keyId)} can have written it.`,
      by: say`The sender’s key ${quoteId(sender.keyId)}`,
    });
  // The JSON in the proof, if there is some, has the line before.
  const isJsonSame = isJsonCompared && checks.findLast(({ part }) => part === 'json')?.state === 'verified';
  const compared = [
    ...(isJsonSame ? ['the JSON'] : []),
    ...(comparedFiles > 0 ? [`the ${count(comparedFiles, 'file')} that you chose`] : []),
  ];
  if (compared.length > 0) claims.push({ text: say`What was sent includes ${listed(compared)}.`, by: say`Your own comparison of hashes` });
  return claims;
}

function times({ evidence: { place, timestamps } }: Report, { publishedBy }: Basis): Claim[] {
  const claims: Claim[] = [];
  const witnesses = place?.witnesses ?? [];
  if (witnesses.length > 0 && publishedBy === undefined) {
    const seen = witnesses.map(({ name, time }) => say`${quote(name)} at ${utcTime(new Date(1_000 * time))}`);
    claims.push({
      text: say`The log with this entry was seen by ${listed(seen)}. So the operator can’t show another log to others unnoticed.`,
      by: witnesses.length === 1 ? say`The witness, by its signature` : say`The witnesses, by their signatures`,
    });
  }
  const [first] = timestamps.filter(({ isTrusted }) => isTrusted).toSorted((one, other) => one.time.getTime() - other.time.getTime());
  if (first)
    claims.push({
      text: say`The entry existed before ${utcTime(first.time)}.`,
      by: say`The timestamp authority ${quote(first.authority)}`,
    });
  return claims;
}

function steps({ envelope, evidence: { steps: all, isChainWhole } }: Report): Claim[] {
  const claims = shortened(all).map((step) => stepClaim(step, envelope));
  if (isChainWhole && all.length > 0)
    claims.push({
      text: say`Up to ${all.length === 1 ? 'this step' : `step ${all.length}`}, nothing is missing and nothing was exchanged: steps are numbered, and each has the hash of the one before.`,
      by: say`The operator of the log, by its signature`,
    });
  return claims;
}

/** The first step, and the last ones: acknowledgements come last. */
function shortened(all: readonly EvidentStep[]): EvidentStep[] {
  return all.length <= STEPS_TOLD_MAX ? [...all] : [...all.slice(0, 1), ...all.slice(1 - STEPS_TOLD_MAX)];
}

function stepClaim({ kind, at, party, way, said }: EvidentStep, envelope: EnvelopeStatement | undefined): Claim {
  const [who, when] = [partyName(party), utcTime(new Date(at))];
  const by = say`The operator alone; it can’t take that back`;
  if (kind === 'expiry') return { text: say`The operator stated at ${when} that nobody at ${who} had taken the message in time.`, by };
  if (!said) {
    const how = way === 'webhook' ? 'a server of' : 'a program of';
    return { text: say`The operator stated that it handed the message over to ${how} ${who} at ${when}.`, by };
  }
  const { status, reason, actor, signature } = said;
  const because = reason === null ? [] : say`, with the words “${quote(reason)}”`;
  const what = say`the message was ${status}${because}`;
  if (!signature || !isWholly(signature)) return { text: say`The operator stated that ${who} said at ${when} that ${what}.`, by };
  return {
    text: say`The agent ${quote(actor.name)} of ${who} signed at ${when} that ${what}.`,
    by:
      envelope && isSameParty(party, envelope.to)
        ? say`The recipient’s key ${quoteId(signature.keyId)}`
        : say`The key ${quoteId(signature.keyId)} of ${who}`,
  };
}

function open({ envelope, signers, evidence }: Report, { publishedBy, comparedFiles }: Basis): Phrase[] {
  const list: Phrase[] = [];
  if (publishedBy !== undefined)
    list.push(
      say`That this is the log you know. The page got the log’s key from ${publishedBy} itself: compare it with a key that you kept.`,
    );
  if (!envelope) return [...list, say`What the message says. This receipt has only hashes, parties and a time.`];
  if (!evidence.sender) list.push(say`That the sender’s own key signed the message: it is not signed. Who sent it is the operator’s word.`);
  for (const [role, parts] of notCovered(envelope, evidence))
    list.push(say`A signature of the ${role} leaves open: ${listed(parts)}. For that, you have the operator’s word.`);
  list.push(
    say`That it was sent once: within 10 minutes, an operator can make two messages of one request, and one proof does not show that.`,
    ...lateFilesAreOpen(envelope, evidence.sender),
  );
  for (const party of otherRecipients(envelope, evidence.steps))
    list.push(say`That ${partyName(party)} is the recipient, ${partyName(envelope.to)}: that is the operator’s word.`);
  for (const signer of signers) if (!signer.isKnown) list.push(keyIsOpen(signer));
  for (const [keyId, revokedAt] of revoked(evidence))
    list.push(say`That ${quoteId(keyId)} was in the right hands when it signed: it was revoked later, at ${utcTime(new Date(revokedAt))}.`);
  const witnesses = evidence.place?.witnesses ?? [];
  if (witnesses.length === 0) list.push(say`That everybody was shown the same log: no witness that you trust has seen it.`);
  else if (publishedBy !== undefined) list.push(servicesWitnesses(witnesses, publishedBy));
  const [stamp] = evidence.timestamps;
  if (stamp && !evidence.timestamps.some(({ isTrusted }) => isTrusted))
    list.push(say`That ${quote(stamp.authority)} saw the entry before ${utcTime(stamp.time)}: you named no certificate of this authority.`);
  list.push(
    say`The moment of receipt. That it was ${utcTime(new Date(envelope.receivedAt))} is the operator’s word${publishedBy === undefined ? margin(evidence.times, envelope) : ''}.`,
  );
  if (envelope.files.length > comparedFiles)
    list.push(
      say`That files you have are those of the message, unless you chose them here: it has ${count(envelope.files.length, 'file')}, and the proof only hashes.`,
    );
  list.push(
    say`That ${partyName(envelope.from)} and ${partyName(envelope.to)} are the companies or people of these names, that what they wrote is true, or that a person has read it.`,
    say`That nothing happened later: a newer proof can have more steps, or the revocation of a key.`,
  );
  return list;
}

function servicesWitnesses(witnesses: readonly { name: string }[], publishedBy: string): Phrase {
  const names = listed(witnesses.map(({ name }) => quote(name)));
  return witnesses.length === 1
    ? say`That the witness ${names}, who saw the log, is independent of the operator: ${publishedBy} itself named its key.`
    : say`That the witnesses ${names}, who saw the log, are independent of the operator: ${publishedBy} itself named their keys.`;
}

/** When each key was revoked. */
function revoked({ sender, steps: all }: Report['evidence']): Map<string, string> {
  const signatures = [sender, ...all.map(({ said }) => said?.signature)];
  return new Map(signatures.flatMap((one) => (one?.revokedAt === undefined ? [] : [[one.keyId, one.revokedAt] as const])));
}

function keyIsOpen({ party, keyId, domain }: Signatory): Phrase {
  const vouched =
    domain?.state === 'bound'
      ? say` The log says that the domain ${quoteId(domain.domain)} has vouched for it since ${utcTime(new Date(domain.at))}.`
      : [];
  return say`That ${quoteId(keyId)} is a key of ${partyName(party)}: that is the operator’s word.${vouched} Ask ${partyName(party)} for the key, and enter it.`;
}

function margin(stated: Report['evidence']['times'], { receivedAt }: EnvelopeStatement): string {
  const first = Math.min(...stated.map(({ time }) => time.getTime()));
  const seconds = Math.round((first - Date.parse(receivedAt)) / 1_000);
  if (!Number.isFinite(seconds) || seconds < 0) return '';
  const [amount, unit] = seconds < 120 ? [seconds, 'second'] : seconds < 7_200 ? [seconds / 60, 'minute'] : [seconds / 3_600, 'hour'];
  return `, ${count(Math.round(amount), unit)} before others saw the entry`;
}

/** What the signatures leave open, also where they are whole. */
function notCovered(
  { files, inReplyTo, segment }: EnvelopeStatement,
  { sender, steps: all }: Report['evidence'],
): [role: string, parts: readonly string[]][] {
  const acknowledged = all.find(({ said }) => said?.signature && !isWholly(said.signature))?.said?.signature;
  const never = [
    ...(files.length > 0 ? ['the names and types of files'] : []),
    ...(inReplyTo !== null && segment !== null ? ['the segment'] : []),
    'the thread',
  ];
  return [
    ...(sender ? [['sender', [...sender.notCovered, ...never]] satisfies [string, string[]]] : []),
    ...(acknowledged ? [['recipient', acknowledged.notCovered] satisfies [string, readonly string[]]] : []),
  ];
}

/** The names of files that were hashed after delivery: the content hash does not cover their bytes. */
function lateFiles({ files }: EnvelopeStatement): Phrase {
  const late = files.filter(({ sha256 }) => sha256 === null).map(({ filename }) => quote(filename));
  const rest = late.length - FILES_NAMED_MAX;
  return listed([...late.slice(0, FILES_NAMED_MAX), ...(rest > 0 ? [count(rest, 'more file')] : [])]);
}

/** What the content hash covers, of what the message has. */
function partsOf(envelope: EnvelopeStatement): Phrase {
  return listed([
    'Its words',
    ...(envelope.jsonSha256 === null ? [] : ['its JSON']),
    ...(envelope.files.length === 0 ? [] : [say`its files${exceptLate(envelope)}`]),
  ]);
}

function exceptLate(envelope: EnvelopeStatement): Phrase {
  const late = lateFiles(envelope);
  return late.length > 0 ? say` except ${late}` : [];
}

function lateFilesAreOpen(envelope: EnvelopeStatement, sender: EvidentSignature | undefined): Phrase[] {
  const late = lateFiles(envelope);
  if (late.length === 0) return [];
  const signed = isWholly(sender) ? ' The sender’s signature does.' : '';
  return [
    say`The bytes of ${late}: hashed after delivery, so that neither the content hash nor a signature of the recipient covers them.${signed}`,
  ];
}

/** Who acted as the recipient, where the envelope names somebody else. */
function otherRecipients({ to }: EnvelopeStatement, all: readonly EvidentStep[]): Party[] {
  const others = all.map(({ party }) => party).filter((party) => !isSameParty(party, to));
  return others.filter((party, at) => others.findIndex((one) => isSameParty(one, party)) === at);
}

function isSameParty(one: Party, other: Party): boolean {
  return one.kind === other.kind && one.id === other.id;
}

function standings({ envelope, evidence, signers }: Report, basis: Basis): Standing[] {
  if (!envelope) return [operatorStanding(evidence, basis)];
  return [
    { party: 'Sender', who: partyName(envelope.from), ...held(evidence.sender, 'sender', signers, 'Can’t deny', 'has sent exactly this') },
    { party: 'Recipient', who: partyName(envelope.to), ...acknowledged(envelope, evidence.steps, signers) },
    operatorStanding(evidence, basis),
  ];
}

type Held = Pick<Standing, 'holds' | 'text'>;

function acknowledged(envelope: EnvelopeStatement, all: readonly EvidentStep[], signers: readonly Signatory[]): Held {
  const last = all.findLast(({ said }) => said?.signature) ?? all.findLast(({ said }) => said);
  if (!last?.said) return { holds: 'no', text: say`Has acknowledged nothing.` };
  const { status, signature } = last.said;
  const deed = say`has ${status} exactly this${exceptLate(envelope)}`;
  if (!signature || isSameParty(last.party, envelope.to)) return held(signature, 'recipient', signers, 'Can’t deny', deed);
  const cannot = say`By the operator’s word, this is ${partyName(last.party)}, who can’t deny`;
  return { ...held(signature, 'recipient', signers, cannot, deed), holds: 'partly' };
}

function held(
  signature: EvidentSignature | undefined,
  role: Signatory['role'],
  signers: readonly Signatory[],
  cannot: Phrase | string,
  deed: Phrase | string,
): Held {
  const signer = signers.find((one) => one.role === role && one.keyId === signature?.keyId);
  if (!signature || !signer) return { holds: 'no', text: say`Signed nothing. That it ${deed} is the operator’s word alone.` };
  if (!isWholly(signature))
    return { holds: 'partly', text: say`${cannot} the signature, which leaves open: ${listed(signature.notCovered)}.` };
  if (signer.isKnown) return { holds: 'yes', text: say`${cannot} that it ${deed}: it is signed by a key that you know as its own.` };
  return { holds: 'partly', text: say`${cannot} that it ${deed}, if ${quoteId(signer.keyId)} is its key. Ask for the key, and enter it.` };
}

function operatorStanding({ place }: Report['evidence'], { publishedBy }: Basis): Standing {
  const who = say`${quoteId(place?.checkpoint.origin ?? 'The log')}`;
  const base = 'Can’t deny, change or remove the entry';
  if (publishedBy !== undefined)
    return { party: 'Operator', who, holds: 'partly', text: say`${base}, if the key is one that you know from elsewhere.` };
  if (place?.witnesses.length === 0)
    return { party: 'Operator', who, holds: 'partly', text: say`${base}. Without witnesses, it could have shown another log to others.` };
  return { party: 'Operator', who, holds: 'yes', text: say`${base}, and its witnesses saw the log.` };
}

function isWholly(signature: EvidentSignature | undefined): boolean {
  return signature?.notCovered.length === 0;
}
