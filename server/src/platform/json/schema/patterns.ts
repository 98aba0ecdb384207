import { RE2JS } from 're2js';
import { messageOf } from '../../../contract/thrown.ts';
import { InvalidSchema } from './documents.ts';

export interface Pattern {
  test(text: string): boolean;
}

/** White space in ECMAScript, which is more than in RE2. */
const SPACE = '\\t\\n\\x{b}\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const NOT_A_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';
const ANYTHING = '[\\x{0}-\\x{10ffff}]';
const NOTHING = '[^\\x{0}-\\x{10ffff}]';

const CATEGORIES: Record<string, string> = {
  Letter: 'L',
  Lowercase_Letter: 'Ll',
  Uppercase_Letter: 'Lu',
  Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm',
  Other_Letter: 'Lo',
  Mark: 'M',
  Nonspacing_Mark: 'Mn',
  Spacing_Mark: 'Mc',
  Enclosing_Mark: 'Me',
  Number: 'N',
  Decimal_Number: 'Nd',
  digit: 'Nd',
  Letter_Number: 'Nl',
  Other_Number: 'No',
  Punctuation: 'P',
  punct: 'P',
  Connector_Punctuation: 'Pc',
  Dash_Punctuation: 'Pd',
  Open_Punctuation: 'Ps',
  Close_Punctuation: 'Pe',
  Initial_Punctuation: 'Pi',
  Final_Punctuation: 'Pf',
  Other_Punctuation: 'Po',
  Symbol: 'S',
  Math_Symbol: 'Sm',
  Currency_Symbol: 'Sc',
  Modifier_Symbol: 'Sk',
  Other_Symbol: 'So',
  Separator: 'Z',
  Space_Separator: 'Zs',
  Line_Separator: 'Zl',
  Paragraph_Separator: 'Zp',
  Control: 'Cc',
  Format: 'Cf',
  Surrogate: 'Cs',
  Private_Use: 'Co',
};

/** Compiles an ECMAScript expression for RE2, whose time is linear in the length of the text. */
export function compilePattern(source: string): Pattern {
  if (!isExpression(source)) throw new InvalidSchema(`the pattern ${JSON.stringify(source)} is not a regular expression`);
  try {
    const expression = RE2JS.compile(new Translation(source).text());
    return { test: (text) => expression.test(text) };
  } catch (error) {
    const reason = messageOf(error).replace(/^error parsing regexp: /, '');
    throw new InvalidSchema(`the pattern ${JSON.stringify(source)} is beyond what can be matched in linear time: ${reason}`);
  }
}

/** Whether the text is an expression with the flag u, or without it: only without the flag, an escaped hyphen is valid. */
function isExpression(source: string): boolean {
  for (const flags of ['u', '']) {
    try {
      new RegExp(source, flags);
      return true;
    } catch {}
  }
  return false;
}

class Translation {
  readonly #source: string;
  #at = 0;
  #out = '';

  constructor(source: string) {
    this.#source = source;
  }

  text(): string {
    while (this.#at < this.#source.length) this.#out += this.#outside();
    return this.#out;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match) this.#at += match[0].length;
    return match ?? undefined;
  }

  #outside(): string {
    if (this.#take(/\(\?<?[=!]/y)) throw new Error('it looks ahead or behind');
    const group = this.#take(/\(\?<(\w+)>/y);
    if (group) return `(?P<${group[1]}>`;
    if (this.#take(/\[\^\]/y)) return ANYTHING;
    if (this.#take(/\[\]/y)) return NOTHING;
    const opening = this.#take(/\[\^?/y);
    if (opening) return `${opening[0]}${this.#members()}]`;
    if (this.#take(/\./y)) return NOT_A_LINE_END;
    if (this.#take(/\\[1-9]|\\k</y)) throw new Error('it refers back to a group');
    if (this.#take(/\\s/y)) return `[${SPACE}]`;
    if (this.#take(/\\S/y)) return `[^${SPACE}]`;
    const kept = this.#take(/\\[bB]/y) ?? this.#take(/\((?:\?:)?|[)|*+?^$]|\{\d+(?:,\d*)?\}/y);
    return kept ? kept[0] : this.#character();
  }

  #members(): string {
    let members = '';
    while (!this.#take(/\]/y)) {
      if (this.#take(/\\s/y)) members += SPACE;
      else if (this.#take(/\\S/y)) members += NO_SPACE;
      else if (this.#take(/\\b/y)) members += '\\x{8}';
      else if (this.#take(/-/y)) members += this.#source[this.#at] === ']' || /(^|\\[dDwWsS])$/.test(members) ? '\\-' : '-';
      else members += this.#character();
    }
    return members;
  }

  #character(): string {
    const kept = this.#take(/\\[dDwWnrtf]/y);
    if (kept) return kept[0];
    const [, kind, category = ''] = this.#take(/\\([pP])\{(?:(?:General_Category|gc|Script|sc)=)?(\w+)\}/y) ?? [];
    if (kind) return `\\${kind}{${CATEGORIES[category] ?? category}}`;
    const [, high, low] = this.#take(/\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/iy) ?? [];
    if (high && low) return quoted(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)));
    const code = this.#take(/\\u\{([0-9a-f]+)\}/iy) ?? this.#take(/\\u([0-9a-f]{4})/iy) ?? this.#take(/\\x([0-9a-f]{2})/iy);
    if (code) return `\\x{${code[1]}}`;
    const [, control] = this.#take(/\\c([a-z])/iy) ?? [];
    if (control) return `\\x{${(control.charCodeAt(0) % 32).toString(16)}}`;
    if (this.#take(/\\v/y)) return '\\x{b}';
    if (this.#take(/\\0/y)) return '\\x{0}';
    this.#take(/\\(?=.)/sy);
    const [literal] = this.#take(/./suy) ?? [];
    if (literal === undefined) throw new Error('it ends too early');
    return quoted(literal);
  }
}

function quoted(character: string): string {
  return /^[A-Za-z0-9]$/.test(character) ? character : `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
