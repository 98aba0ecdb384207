/** QR codes (ISO/IEC 18004) of bytes, with error correction M: enough for the link of a receipt, and smaller than a package for all of it. */

/** Versions 1 to 10: error correction codewords of a block, and blocks. */
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5];
/** The format bits of level M. */
const LEVEL_BITS = 0;

/** The modules, row by row; true is dark. Undefined: the text does not fit. */
export function qrCode(text: string): boolean[][] | undefined {
  const bytes = new TextEncoder().encode(text);
  const version = CORRECTION.findIndex((_, at) => bytes.length <= dataCodewords(at + 1) - (at + 1 < 10 ? 2 : 3)) + 1;
  if (version === 0) return undefined;
  const codewords = interleaved(encoded(bytes, version), version);
  const codes = Array.from({ length: 8 }, (_, mask) => drawn(version, codewords, mask));
  return codes.reduce((best, code) => (penalty(code) < penalty(best) ? code : best));
}

function rawCodewords(version: number): number {
  const aligned = Math.floor(version / 7) + 2;
  const modules = (16 * version + 128) * version + 64 - (version < 2 ? 0 : (25 * aligned - 10) * aligned - 55) - (version < 7 ? 0 : 36);
  return Math.floor(modules / 8);
}

const correctionOf = (version: number): number => CORRECTION[version - 1] ?? 0;
const blocksOf = (version: number): number => BLOCKS[version - 1] ?? 1;
const dataCodewords = (version: number): number => rawCodewords(version) - correctionOf(version) * blocksOf(version);

/** Byte mode, the length, the bytes, and padding. */
function encoded(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const put = (value: number, length: number) => {
    for (let at = length - 1; at >= 0; at--) bits.push((value >>> at) & 1);
  };
  put(0b0100, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  const capacity = dataCodewords(version) * 8;
  put(0, Math.min(4, capacity - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < capacity; pad ^= 0xec ^ 0x11) put(pad, 8);
  return Array.from({ length: bits.length / 8 }, (_, at) => bits.slice(at * 8, at * 8 + 8).reduce((byte, bit) => (byte << 1) | bit, 0));
}

function interleaved(data: number[], version: number): number[] {
  const [blocks, correction, raw] = [blocksOf(version), correctionOf(version), rawCodewords(version)];
  const short = Math.floor(raw / blocks) - correction;
  const shortBlocks = blocks - (raw % blocks);
  const divisor = divisorOf(correction);
  let from = 0;
  const parts = Array.from({ length: blocks }, (_, at) => {
    const part = data.slice(from, from + short + (at < shortBlocks ? 0 : 1));
    from += part.length;
    return { part, rest: remainder(part, divisor) };
  });
  const columns = Array.from({ length: short + 1 }, (_, at) => parts.flatMap(({ part }) => part[at] ?? []));
  const ends = Array.from({ length: correction }, (_, at) => parts.flatMap(({ rest }) => rest[at] ?? []));
  return [...columns.flat(), ...ends.flat()];
}

/** Multiplication in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1. */
function times(a: number, b: number): number {
  let product = 0;
  for (let at = 7; at >= 0; at--) product = (product << 1) ^ ((product >>> 7) * 0x11d) ^ (((b >>> at) & 1) * a);
  return product;
}

function divisorOf(degree: number): number[] {
  let result: number[] = [...Array<number>(degree - 1).fill(0), 1];
  for (let at = 0, root = 1; at < degree; at++, root = times(root, 2))
    result = result.map((factor, index) => times(factor, root) ^ (result[index + 1] ?? 0));
  return result;
}

function remainder(data: number[], divisor: number[]): number[] {
  const result = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (result.shift() ?? 0);
    result.push(0);
    divisor.forEach((coefficient, at) => {
      result[at] = (result[at] ?? 0) ^ times(coefficient, factor);
    });
  }
  return result;
}

const MASKS: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

class Grid {
  readonly size: number;
  readonly dark: boolean[][];
  readonly fixed: boolean[][];

  constructor(size: number) {
    this.size = size;
    this.dark = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
    this.fixed = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  }

  set(x: number, y: number, isDark: boolean): void {
    const [row, fixed] = [this.dark[y], this.fixed[y]];
    if (!row || !fixed || x < 0 || x >= this.size) return;
    row[x] = isDark;
    fixed[x] = true;
  }

  /** Squares around a centre, dark at the given distances. */
  square(x: number, y: number, reach: number, isDark: (distance: number) => boolean): void {
    for (let dy = -reach; dy <= reach; dy++)
      for (let dx = -reach; dx <= reach; dx++) this.set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
  }
}

function drawn(version: number, codewords: number[], mask: number): boolean[][] {
  const grid = new Grid(version * 4 + 17);
  drawPatterns(grid, version);
  drawFormat(grid, mask);
  if (version >= 7) drawVersion(grid, version);
  drawData(grid, codewords, MASKS[mask] ?? (() => false));
  return grid.dark;
}

function drawPatterns(grid: Grid, version: number): void {
  const { size } = grid;
  for (let at = 0; at < size; at++) {
    grid.set(6, at, at % 2 === 0);
    grid.set(at, 6, at % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    grid.square(x, y, 4, (distance) => distance !== 2 && distance !== 4);
  const places = alignments(version, size);
  const last = places.length - 1;
  places.forEach((x, column) => {
    places.forEach((y, row) => {
      const isFinder = (column === 0 && (row === 0 || row === last)) || (column === last && row === 0);
      if (!isFinder) grid.square(x, y, 2, (distance) => distance !== 1);
    });
  });
}

function alignments(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, at) => size - 7 - (count - 2 - at) * step)];
}

function drawFormat(grid: Grid, mask: number): void {
  const data = (LEVEL_BITS << 3) | mask;
  let rest = data;
  for (let at = 0; at < 10; at++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  const bits = ((data << 10) | rest) ^ 0x5412;
  const bit = (at: number) => ((bits >>> at) & 1) === 1;
  for (let at = 0; at <= 5; at++) grid.set(8, at, bit(at));
  grid.set(8, 7, bit(6));
  grid.set(8, 8, bit(7));
  grid.set(7, 8, bit(8));
  for (let at = 9; at < 15; at++) grid.set(14 - at, 8, bit(at));
  for (let at = 0; at < 8; at++) grid.set(grid.size - 1 - at, 8, bit(at));
  for (let at = 8; at < 15; at++) grid.set(8, grid.size - 15 + at, bit(at));
  grid.set(8, grid.size - 8, true);
}

function drawVersion(grid: Grid, version: number): void {
  let rest = version;
  for (let at = 0; at < 12; at++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let at = 0; at < 18; at++) {
    const [far, near] = [grid.size - 11 + (at % 3), Math.floor(at / 3)];
    grid.set(far, near, ((bits >>> at) & 1) === 1);
    grid.set(near, far, ((bits >>> at) & 1) === 1);
  }
}

/** Draws columns of two, alternately upwards and downwards. */
function drawData(grid: Grid, codewords: number[], isMasked: (x: number, y: number) => boolean): void {
  let bit = 0;
  for (let right = grid.size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < grid.size; step++)
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? grid.size - 1 - step : step;
        const row = grid.dark[y];
        if (!row || grid.fixed[y]?.[x]) continue;
        const isDark = (((codewords[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1;
        row[x] = isDark !== isMasked(x, y);
        bit++;
      }
  }
}

/** How hard the code is to read, by the rules of the standard. */
function penalty(code: boolean[][]): number {
  const size = code.length;
  const at = (x: number, y: number) => code[y]?.[x] ?? false;
  const lines = Array.from({ length: size }, (_, n) => [
    Array.from({ length: size }, (_, m) => (at(m, n) ? '1' : '0')).join(''),
    Array.from({ length: size }, (_, m) => (at(n, m) ? '1' : '0')).join(''),
  ]).flat();
  let sum = 0;
  for (const line of lines) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2;
    sum += 40 * (line.match(/(?=00001011101|10111010000)/g)?.length ?? 0);
  }
  for (let y = 1; y < size; y++)
    for (let x = 1; x < size; x++) if (at(x, y) === at(x - 1, y) && at(x, y) === at(x, y - 1) && at(x, y) === at(x - 1, y - 1)) sum += 3;
  const dark = code.flat().filter(Boolean).length / (size * size);
  return sum + 10 * Math.floor(Math.abs(dark * 20 - 10));
}
