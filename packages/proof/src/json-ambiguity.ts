/** 15 digits are those of a double in any case. */
const SAFE_NUMBER_CHARS = 15;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const NUMBER_CHARACTERS = '+-.eE0123456789';

/**
 * Whether parsers can read different values from JSON: a key is repeated, of which some take the first and some the last, or a double can't hold all
 * digits of a number. The text must be JSON.
 */
export function isAmbiguous(json: string): boolean {
  /** The keys of each object that is open, and undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  for (let at = 0; at < json.length; ) {
    const character = json.charAt(at);
    if (character === '"') {
      const end = endOfString(json, at);
      const keys = open.at(-1);
      if (isKeyNext && keys) {
        const key: string = JSON.parse(json.slice(at, end));
        if (keys.has(key)) return true;
        keys.add(key);
      }
      isKeyNext = false;
      at = end;
    } else if (character === '-' || (character >= '0' && character <= '9')) {
      const end = endOfNumber(json, at);
      if (!isExact(json.slice(at, end))) return true;
      at = end;
    } else {
      if (character === '{') open.push(new Set());
      else if (character === '[') open.push(undefined);
      else if (character === '}' || character === ']') open.pop();
      if (character === '{' || character === ',') isKeyNext = open.at(-1) !== undefined;
      at++;
    }
  }
  return false;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

function endOfNumber(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && NUMBER_CHARACTERS.includes(json.charAt(at))) at++;
  return at;
}

/** Whether the double that is nearest to the number is written with the same digits. 0.1 is, 10000000000000001 is not. */
function isExact(number: string): boolean {
  if (number.length <= SAFE_NUMBER_CHARS && !/[eE]/.test(number)) return true;
  const written = decimalOf(number);
  return written !== undefined && written === decimalOf(String(Number(number)));
}

/** One text for each decimal number, however it is written. Undefined: infinite. */
function decimalOf(number: string): string | undefined {
  const [, sign = '', whole, fraction = '', exponent = '0'] = NUMBER.exec(number) ?? [];
  if (whole === undefined) return undefined;
  const digits = `${whole}${fraction}`;
  let [first, end] = [0, digits.length];
  while (digits[first] === '0') first++;
  while (end > first && digits[end - 1] === '0') end--;
  if (first === end) return '0';
  return `${sign}${digits.slice(first, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
