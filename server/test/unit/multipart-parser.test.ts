import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../src/contract/errors.ts';
import { readMultipart } from '../../src/platform/mail/multipart.ts';
import { type FormPart, formBody, typeOfForm } from '../support/form.ts';

const KB = 1_024;
const BOUNDARY = 'b-9x';
const TYPE = typeOfForm(BOUNDARY)['content-type'];
const FIELD = 'Content-Disposition: form-data; name="a"';

interface ReadPart {
  name: string;
  filename: string | undefined;
  contentType: string | undefined;
  bytes: Buffer;
}

async function read(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, type = TYPE): Promise<ReadPart[]> {
  const parts: ReadPart[] = [];
  for await (const { bytes, ...rest } of readMultipart(type, Readable.from(chunks))) {
    parts.push({ ...rest, bytes: Buffer.concat(await Array.fromAsync(bytes)) });
  }
  return parts;
}

/** Returns the refusal of the parser. Any other error is a fault. */
async function refusalOf(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, type?: string): Promise<string> {
  const outcome = await read(chunks, type).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(Refusal);
  expect((outcome as Refusal).code).toBe('validation_error');
  return (outcome as Refusal).message;
}

/** Cuts at the given places, some of which may be equal, so that a chunk is empty. */
function cut(body: Buffer, places: number[]): Buffer[] {
  const ends = [...places.map((place) => Math.floor(place * body.length)).sort((a, b) => a - b), body.length];
  return ends.map((end, i) => body.subarray(ends[i - 1] ?? 0, end));
}

const text = (...pieces: string[]) => Buffer.from(pieces.join(''), 'latin1');
const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

/** Bytes of every kind, many of which look like a boundary. */
const content = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 20 }),
      fc
        .constantFrom(
          '\r',
          '\n',
          '\r\n',
          '\r\n\r\n',
          '-',
          '--',
          `--${BOUNDARY}`,
          `--${BOUNDARY}--`,
          `\n--${BOUNDARY}`,
          '\r\n--b-9',
          '\r\n--b-',
          '\0',
        )
        .map((piece) => text(piece)),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => Buffer.concat(pieces))
  .filter((bytes) => !bytes.includes(`\r\n--${BOUNDARY}`));

const name = fc.string({ unit: 'binary', maxLength: 12 }).filter((value) => !value.includes('\r\n'));
const part = fc.record({
  name,
  filename: fc.option(name, { nil: undefined }),
  type: fc.option(fc.constantFrom('text/plain', 'image/png; a="b;c"', 'x'), { nil: undefined }),
  bytes: content,
});

describe('what a form holds comes out of it', () => {
  test('exactly, whatever the bytes and names are and however the body is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), places, async (parts, where) => {
        const found = await read(cut(formBody(parts, BOUNDARY), where));
        expect(found).toEqual(parts.map((one) => ({ name: one.name, filename: one.filename, contentType: one.type, bytes: one.bytes })));
      }),
      { numRuns: 1_000 },
    );
  });

  test('also when the body comes byte by byte', async () => {
    const parts = [
      { name: 'a', bytes: text(`\r\n--b-9\r\n--${BOUNDARY.slice(0, -1)}`) },
      { filename: '', bytes: text() },
      { filename: 'x', bytes: text('\r') },
    ];
    const found = await read(Array.from(formBody(parts, BOUNDARY), (byte) => Buffer.of(byte)));
    expect(found.map(({ bytes }) => bytes)).toEqual(parts.map(({ bytes }) => bytes));
  });

  test.each([
    ['plain', `multipart/form-data; boundary=${BOUNDARY}`],
    ['in quotes', `multipart/form-data; boundary="${BOUNDARY}"`],
    ['in capitals, and not alone', `Multipart/Form-Data;charset=utf-8;BOUNDARY=${BOUNDARY} ; x=y`],
  ])('when its boundary is given %s', async (_, type) => {
    expect(await read([formBody([{ name: 'a', bytes: 'b' }], BOUNDARY)], type)).toHaveLength(1);
  });

  test.each([
    ['of one character', 'x'],
    ['of 70 characters', 'x'.repeat(70)],
    ['of signs', "'()+_,-./:=?"],
    ['with spaces inside', 'a b  c'],
  ])('when its boundary is one %s', async (_, boundary) => {
    const parts = await read([formBody([{ filename: 'f', bytes: 'b' }], boundary)], `multipart/form-data; boundary="${boundary}"`);
    expect(parts.map(({ bytes }) => bytes.toString())).toEqual(['b']);
  });

  test.each([
    ['a text before the first boundary', `to whom it may concern\r\n--${BOUNDARY}\r\n${FIELD}\r\n\r\nb\r\n--${BOUNDARY}--`],
    ['spaces after a boundary', `--${BOUNDARY} \t\r\n${FIELD}\r\n\r\nb\r\n--${BOUNDARY}--`],
    ['no line break at the end', `--${BOUNDARY}\r\n${FIELD}\r\n\r\nb\r\n--${BOUNDARY}--`],
    ['a text after the end', `--${BOUNDARY}\r\n${FIELD}\r\n\r\nb\r\n--${BOUNDARY}--\r\nyours faithfully`],
    ['unneeded headers', `--${BOUNDARY}\r\nX-A: b\r\n${FIELD}\r\nContent-Length: 1\r\n\r\nb\r\n--${BOUNDARY}--`],
    ['headers in other letters', `--${BOUNDARY}\r\ncontent-DISPOSITION:Form-Data ;NAME=a\r\n\r\nb\r\n--${BOUNDARY}--`],
  ])('with %s', async (_, body) => {
    expect(await read([text(body)])).toEqual([{ name: 'a', filename: undefined, contentType: undefined, bytes: text('b') }]);
  });

  test('when a part is passed over unread', async () => {
    const names: string[] = [];
    const body = formBody(
      Array.from({ length: 5 }, (_, i) => ({ name: `n${i}`, bytes: 'x'.repeat(1_000) })),
      BOUNDARY,
    );
    for await (const { name: found } of readMultipart(TYPE, Readable.from(cut(body, [0.3, 0.5])))) names.push(found);
    expect(names).toEqual(['n0', 'n1', 'n2', 'n3', 'n4']);
  });

  test('and a name in quotes is never taken for something else', async () => {
    const tricky: FormPart[] = [
      { name: 'x; filename=y' },
      { name: 'x"; filename="y' },
      { name: 'x\\"; filename="y' },
      { name: 'a', filename: 'b; name=to' },
      { name: 'a', filename: 'b"; name="to' },
    ];
    const found = await read([formBody(tricky, BOUNDARY)]);
    expect(found.map((one) => [one.name, one.filename])).toEqual(tricky.map((one) => [one.name, one.filename]));
  });
});

test('a form that is cut short anywhere is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 2 }), places, async (parts, where) => {
      const body = formBody(parts, BOUNDARY);
      // The line break after the last boundary is optional.
      for (let length = 0; length < body.length - 2; length++) await refusalOf(cut(body.subarray(0, length), where));
      await read(cut(body.subarray(0, -2), where));
    }),
    { numRuns: 30 },
  );
});

describe('refused as malformed', () => {
  const about = (head: string) => [text(`--${BOUNDARY}\r\n${head}\r\n\r\nb\r\n--${BOUNDARY}--\r\n`)];

  test.each([
    ['no boundary', 'multipart/form-data'],
    ['an empty boundary', 'multipart/form-data; boundary='],
    ['an empty boundary in quotes', 'multipart/form-data; boundary=""'],
    ['a boundary of 71 characters', `multipart/form-data; boundary=${'x'.repeat(71)}`],
    ['a boundary of 71 characters in quotes', `multipart/form-data; boundary="${'x'.repeat(71)}"`],
    ['a boundary in half of a pair of quotes', `multipart/form-data; boundary="${BOUNDARY}`],
    ['garbage behind the boundary', `multipart/form-data; boundary=${BOUNDARY} garbage`],
  ])('a content type with %s', async (_, type) => {
    expect(await refusalOf([formBody([{ name: 'a' }], 'x'.repeat(71))], type)).toContain('no boundary');
  });

  test.each([
    ['nothing', ''],
    ['something else', '{"to":"globex"}'],
    ['another boundary', `--other\r\n${FIELD}\r\n\r\nb\r\n--other--\r\n`],
    ['a boundary that does not begin a line', `x--${BOUNDARY}\r\n${FIELD}\r\n\r\nb\r\nx--${BOUNDARY}--`],
    ['garbage after a boundary', `--${BOUNDARY} garbage\r\n${FIELD}\r\n\r\nb\r\n--${BOUNDARY}--`],
    ['a boundary that goes on', `--${BOUNDARY}x\r\n${FIELD}\r\n\r\nb\r\n--${BOUNDARY}x--`],
    ['a boundary inside a file that goes on', `--${BOUNDARY}\r\n${FIELD}\r\n\r\nb\r\n--${BOUNDARY}x\r\n--${BOUNDARY}--`],
    ['bare line feeds', `--${BOUNDARY}\n${FIELD}\n\nb\n--${BOUNDARY}--\n`],
    ['no end', `--${BOUNDARY}\r\n${FIELD}\r\n\r\nb`],
  ])('a body of %s', async (_, body) => {
    await refusalOf([text(body)]);
  });

  test.each([
    ['no headers', ''],
    ['no Content-Disposition', 'Content-Type: text/plain'],
    ['no name', 'Content-Disposition: form-data'],
    ['a file name only', 'Content-Disposition: form-data; filename="a"'],
    ['another disposition', 'Content-Disposition: attachment; name="a"'],
    ['a disposition that only begins as it should', 'Content-Disposition: form-database; name="a"'],
    ['a line without a colon', `${FIELD}\r\nnonsense`],
    ['a header without a name', `${FIELD}\r\n: x`],
    ['a folded header', 'Content-Disposition: form-data;\r\n name="a"'],
    ['two dispositions', `${FIELD}\r\n${FIELD}; filename="b"`],
    ['two names', 'Content-Disposition: form-data; name="a"; name="to"'],
    ['two file names', 'Content-Disposition: form-data; name="a"; filename="b"; FILENAME="c"'],
    ['a quote that is never closed', 'Content-Disposition: form-data; name="a'],
    ['a quote that is escaped rather than closed', 'Content-Disposition: form-data; name="a"; filename="b\\"'],
    ['another encoding than binary', `${FIELD}\r\nContent-Transfer-Encoding: base64`],
    ['garbage among the parameters', 'Content-Disposition: form-data; name="a" garbage; filename="b"'],
  ])('a part with %s', async (_, head) => {
    expect(await refusalOf(about(head))).toContain('part with');
  });

  test('a file name that is not in UTF-8, as any other text', async () => {
    await expect(read(about('Content-Disposition: form-data; name="a"; filename="\xff"'))).rejects.toMatchObject({ code: 'invalid_json' });
  });

  test('noise, and never anything worse happens', async () => {
    const noise = fc.array(
      fc.oneof(
        content,
        fc.constantFrom(`\r\n--${BOUNDARY}\r\n`, `${FIELD}\r\n\r\n`, `\r\n--${BOUNDARY}--`, '"', ';').map((piece) => text(piece)),
      ),
    );
    await fc.assert(
      fc.asyncProperty(noise, places, async (pieces, where) => {
        const outcome = await read(cut(Buffer.concat(pieces), where)).catch((error: unknown) => error);
        if (!Array.isArray(outcome)) expect(outcome).toBeInstanceOf(Refusal);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('what never ends is refused after little of it', () => {
  let given = 0;
  async function* endless(start: string, more: string): AsyncGenerator<Buffer> {
    yield text(start);
    for (given = 0; ; given += more.length) yield text(more);
  }

  test.each([
    ['a text before the first boundary', '', 'x'.repeat(100)],
    ['lines before the first boundary', '', '\r\n--b-9'],
    ['a boundary’s line', `--${BOUNDARY}`, ' '.repeat(100)],
    ['a part’s header', `--${BOUNDARY}\r\nContent-Disposition: form-data; name="`, 'x'.repeat(100)],
    ['a part’s headers', `--${BOUNDARY}\r\n${FIELD}`, '\r\nX-Header: x'],
  ])('%s', async (_, start, more) => {
    await refusalOf(endless(start, more));
    expect(given).toBeLessThan(40 * KB);
  });

  test('32 KB of headers are let through, and 33 KB are not, though they come in one piece', async () => {
    const withHeaders = (bytes: number) => {
      const long = `${FIELD}; filename="${'x'.repeat(bytes - FIELD.length - 20)}"`;
      return [text(`--${BOUNDARY}\r\n${long}\r\n\r\nb\r\n--${BOUNDARY}--`)];
    };
    expect(await read(withHeaders(32 * KB))).toHaveLength(1);
    expect(await refusalOf(withHeaders(33 * KB))).toContain('too long a header');
  });

  test('a file is handed on as it comes, and none of it is held back', async () => {
    const body = Readable.from(endless(`--${BOUNDARY}\r\n${FIELD}\r\n\r\n`, 'x'.repeat(KB)));
    const { value: file } = await readMultipart(TYPE, body).next();
    let taken = 0;
    for await (const chunk of file.bytes) {
      taken += chunk.length;
      // The read-ahead of a Readable, and a boundary that may have begun.
      expect(given - taken).toBeLessThan(64 * KB);
      if (taken > 1_000 * KB) break;
    }
    expect(taken).toBeGreaterThan(1_000 * KB);
  });
});
