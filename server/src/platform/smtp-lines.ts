const LF = 0x0a;
const CR = 0x0d;

/**
 * Finds what has no place in a mail on the wire: a line break of one character, which some servers take for a whole one
 * (so that one could hide a second mail inside of a first), and NUL.
 */
export class LineCheck {
  #isAfterCr = false;

  /** What is wrong with the bytes that come next, if anything is. */
  problemIn(chunk: Buffer): string | undefined {
    if (chunk.includes(0)) return 'a NUL character';
    let isAfterCr = this.#isAfterCr;
    // By number, which is many times faster than one after the other; every byte of every mail passes here.
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (isAfterCr !== (byte === LF)) return 'a line break that is not CR LF';
      isAfterCr = byte === CR;
    }
    this.#isAfterCr = isAfterCr;
    return undefined;
  }

  /** The same once there are no more. */
  problemAtEnd(): string | undefined {
    return this.#isAfterCr ? 'a line break that is not CR LF' : undefined;
  }
}
