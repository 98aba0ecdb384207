const NOT_BASE64 = /[^A-Za-z0-9+/]+/g;
const EQUALS = 0x3d;
/** Longer than any escape, or white space at the end of a line, in a real mail. More is not held back. */
const HELD_MAX_BYTES = 1_024;

export interface TransferDecoder {
  decode(chunk: Buffer): Buffer;
  end(): Buffer;
}

export function transferDecoder(encoding: string): TransferDecoder {
  if (encoding === 'base64') return new Base64Decoder();
  if (encoding === 'quoted-printable') return new QuotedPrintableDecoder();
  return { decode: (chunk) => chunk, end: () => Buffer.alloc(0) };
}

class Base64Decoder implements TransferDecoder {
  #held = '';

  decode(chunk: Buffer): Buffer {
    const digits = this.#held + chunk.toString('latin1').replace(NOT_BASE64, '');
    const whole = digits.length - (digits.length % 4);
    this.#held = digits.slice(whole);
    return Buffer.from(digits.slice(0, whole), 'base64');
  }

  end(): Buffer {
    return Buffer.from(this.#held, 'base64');
  }
}

class QuotedPrintableDecoder implements TransferDecoder {
  #held: Buffer = Buffer.alloc(0);

  decode(chunk: Buffer): Buffer {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    // An escape may continue in the next chunk. It is never longer than its line.
    const last = bytes.lastIndexOf('\n');
    const mark = bytes.indexOf(EQUALS, last + 1);
    const isHeld = mark >= 0 && bytes.length - mark <= HELD_MAX_BYTES;
    this.#held = isHeld ? bytes.subarray(mark) : Buffer.alloc(0);
    return unescaped(isHeld ? bytes.subarray(0, mark) : bytes);
  }

  end(): Buffer {
    return unescaped(this.#held);
  }
}

function unescaped(bytes: Buffer): Buffer {
  if (!bytes.includes(EQUALS)) return bytes;
  const out = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte !== EQUALS) {
      out[length++] = byte;
      continue;
    }
    const escaped = hexDigit(bytes[i + 1]) * 16 + hexDigit(bytes[i + 2]);
    if (escaped >= 0) {
      out[length++] = escaped;
      i += 2;
      continue;
    }
    let end = i + 1;
    while (bytes[end] === 0x20 || bytes[end] === 0x09) end++;
    const isSoftBreak = end >= bytes.length || (bytes[end] === 0x0d && bytes[end + 1] === 0x0a);
    if (isSoftBreak) i = end + 1;
    else out[length++] = byte;
  }
  return out.subarray(0, length);
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1_000;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte & 0xdf;
  return letter >= 0x41 && letter <= 0x46 ? letter - 0x37 : -1_000;
}
