import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BoundaryLines } from '../../src/platform/mail/boundary-lines.ts';
import { LineCheck } from '../../src/platform/mail/smtp-lines.ts';

const LINE_MAX_BYTES = 6;
const LINES_MAX = 5;

/** Judges the text as a whole. The checker gets it in pieces. */
function isClean(text: string): boolean {
  if (/\0|\r(?!\n)|(?<!\r)\n/.test(text)) return false;
  const lines = text.split('\r\n');
  return lines.length - 1 <= LINES_MAX && lines.every((line) => line.length <= LINE_MAX_BYTES);
}

function findsClean(pieces: string[]): boolean {
  const check = new LineCheck(LINE_MAX_BYTES, LINES_MAX);
  return pieces.every((piece) => check.problemIn(Buffer.from(piece, 'latin1')) === undefined) && check.problemAtEnd() === undefined;
}

const piece = fc.array(fc.constantFrom('a', 'bcd', '\r\n', '\r\n', '\r', '\n', '\0'), { maxLength: 6 }).map((words) => words.join(''));

test('lines are found broken, too long or too many wherever the mail is cut into pieces', () => {
  let clean = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const expected = isClean(pieces.join(''));
      if (expected) clean++;
      expect(findsClean(pieces), JSON.stringify(pieces)).toBe(expected);
    }),
    { numRuns: 5_000 },
  );
  expect(clean).toBeGreaterThan(200);
});

const BOUNDARIES = ['b', '--b', 'b--', 'a b', ''];

function expectedOf(line: string): unknown {
  if (!line.startsWith('--')) return undefined;
  const text = line.slice(2).trimEnd();
  if (BOUNDARIES.includes(text)) return { boundary: text, isLast: false };
  const boundary = text.slice(0, -2);
  return text.endsWith('--') && BOUNDARIES.includes(boundary) ? { boundary, isLast: true } : undefined;
}

test('a line is a boundary exactly where it says so, white space at its end aside', () => {
  const words = fc.array(fc.constantFrom('-', '--', 'b', 'a', ' ', '\t', '\xa0', 'é'), { maxLength: 8 }).map((parts) => parts.join(''));
  let found = 0;
  fc.assert(
    fc.property(words, words, (line, rest) => {
      const lines = new BoundaryLines(BOUNDARIES);
      const read = lines.read(Buffer.from(`${rest}${line}\r\n${rest}`, 'latin1'), rest.length);
      if (read) found++;
      expect(read, line).toEqual(expectedOf(line));
      expect(lines.end).toBe(rest.length + line.length);
    }),
    { numRuns: 5_000 },
  );
  expect(found).toBeGreaterThan(100);
});
