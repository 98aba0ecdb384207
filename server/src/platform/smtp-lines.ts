const LF = 0x0a;
const CR = 0x0d;

/**
 * Finds what has no place in a mail on the wire: a line break of one character, which some servers take for a whole one
 * (so that one could hide a second mail inside of a first), NUL, and lines that are too long or too many: what reads
 * mails takes its time for each.
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

  /** What is wrong with the bytes that come next, if anything is. */
  problemIn(chunk: Buffer): string | undefined {
    if (chunk.includes(0)) return 'a NUL character';
    let isAfterCr = this.#isAfterCr;
    let start = -this.#lineBytes;
    // By number, which is many times faster than one after the other; every byte of every mail passes here.
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (isAfterCr !== (byte === LF)) return 'a line break that is not CR LF';
      isAfterCr = byte === CR;
      if (byte !== LF) continue;
      // The carriage return counts among them here.
      if (i - start - 1 > this.#maxBytes) return this.#tooLong();
      start = i + 1;
      if (++this.#lines > this.#maxLines) return `more than ${this.#maxLines} lines; send what is long as an attachment in base64`;
    }
    this.#isAfterCr = isAfterCr;
    this.#lineBytes = chunk.length - start;
    return this.#lineBytes - Number(isAfterCr) > this.#maxBytes ? this.#tooLong() : undefined;
  }

  /** The same once there are no more. */
  problemAtEnd(): string | undefined {
    return this.#isAfterCr ? 'a line break that is not CR LF' : undefined;
  }

  #tooLong(): string {
    return `a line of more than ${this.#maxBytes} characters; encode it as quoted-printable or base64, or break it`;
  }
}
