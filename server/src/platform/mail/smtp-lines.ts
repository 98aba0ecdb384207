const LF = 0x0a;
const CR = 0x0d;

/**
 * Finds bytes that a mail must not contain. A bare CR or LF is a line break for some servers, so that one mail could smuggle a second one.
 * NUL is refused too, and so are lines that are too long or too many, because parsers take time for each line.
 */
export class LineCheck {
  readonly #maxBytes: number;
  readonly #maxLines: number;
  #isAfterCr = false;
  #lineBytes = 0;
  #lines = 0;

  constructor(maxBytes: number, maxLines: number) {
    this.#maxBytes = maxBytes;
    this.#maxLines = maxLines;
  }

  problemIn(chunk: Buffer): string | undefined {
    if (chunk.includes(0)) return 'a NUL character';
    let start = 0;
    while (start < chunk.length) {
      // Buffer.indexOf is far faster than a loop: every byte of every mail passes here.
      const lineFeed = chunk.indexOf(LF, start);
      const carriageReturn = chunk.indexOf(CR, start);
      const end = lineFeed < 0 ? chunk.length : lineFeed;
      const isBroken = this.#isAfterCr ? lineFeed !== start : carriageReturn >= 0 ? carriageReturn !== end - 1 : lineFeed >= 0;
      if (isBroken) return 'a line break that is not CR LF';
      this.#lineBytes += end - start;
      this.#isAfterCr = lineFeed < 0 && carriageReturn >= 0;
      const hasReturn = this.#isAfterCr || lineFeed >= 0;
      if (this.#lineBytes - Number(hasReturn) > this.#maxBytes) return this.#tooLong();
      if (lineFeed < 0) return undefined;
      this.#lineBytes = 0;
      if (++this.#lines > this.#maxLines) return `more than ${this.#maxLines} lines; send what is long as an attachment in base64`;
      start = lineFeed + 1;
    }
    return undefined;
  }

  problemAtEnd(): string | undefined {
    return this.#isAfterCr ? 'a line break that is not CR LF' : undefined;
  }

  #tooLong(): string {
    return `a line of more than ${this.#maxBytes} characters; encode it as quoted-printable or base64, or break it`;
  }
}
