import { invalid } from './errors.ts';
import { foldLookAlikes } from './look-alikes.ts';
import { withoutUnseen } from './visible-text.ts';

/** Check marks and their look-alikes. Beside a name, they look like a statement of the service. */
const MARK = String.raw`[\u2713\u2714\u2705\u2611\u237b\u221a\u23b7\uaa9c\u{1f5f8}\u{1f5f9}\u{10102}\u{1fbb1}][\ufe0e\ufe0f]?`;
const MARKS = new RegExp(MARK, 'gu');
/** What a badge says is verified. */
const HOLDERS = 'by|seller|sender|supplier|vendor|business|company|account|partner|member|user|profile|merchant';
/**
 * "verified" as a badge: at the end of the name, before punctuation or a holder, or in brackets, as in "Acme [verified by …]". "Verified Systems Ltd"
 * is a name.
 */
const BADGE = new RegExp(
  String.raw`(?<![\p{L}\p{N}])verified(?:\s*(?:$|[^\p{L}\p{N}\s\-'’])|\s+(?:${HOLDERS})(?![\p{L}\p{N}]))|[(\[{<«‹“"][^)\]}>»›”"]*verified`,
  'u',
);

/**
 * A typed name that others see in one line of pages and mails. It must not hide or reorder anything there (joiners are allowed where letters and
 * emoji need them), nor look as if the service had verified it.
 */
export function checkedDisplayName(text: string, path: string, maxChars: number): string {
  const name = text.trim();
  const refuse = (message: string) => invalid([{ path, message }]);
  if (name === '' || [...name].length > maxChars) throw refuse(`must have 1 to ${maxChars} characters`);
  refuseUnseen(name, path);
  if (claimsVerification(name)) throw refuse('must not have a check mark or call itself verified');
  return name;
}

export function refuseUnseen(text: string, path: string): void {
  if (withoutUnseen(text) !== text) throw invalid([{ path, message: 'must not have control, invisible or direction characters' }]);
}

/** Cleans a name from elsewhere, such as an identity provider or a mail. May return an empty text. */
export function cleanedDisplayName(text: string, maxChars: number): string {
  const line = withoutUnseen(text.toWellFormed().replace(MARKS, ' '), ' ').replace(/\s+/g, ' ').trim();
  // A shortened name may end in a joiner that has nothing to join.
  const name = withoutUnseen([...line].slice(0, maxChars).join('')).trim();
  return claimsVerification(name) ? withoutBadge(name) : name;
}

function claimsVerification(name: string): boolean {
  return name.search(MARKS) >= 0 || BADGE.test(foldLookAlikes(name));
}

/** Drops each word with a badge: folding changes lengths, so the badge can't be cut out of a word. */
function withoutBadge(name: string): string {
  const kept = name.split(' ').filter((word) => !/verified/u.test(foldLookAlikes(word)));
  return kept.join(' ').trim();
}
