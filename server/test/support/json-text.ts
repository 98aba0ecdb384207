import fc from 'fast-check';

/** Arbitraries of JSON as text, because parsing would lose details. */
export const whitespace = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 });

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 25 });

const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.constant('0'),
      digits.map((text) => `1${text}`),
    ),
    fc.option(digits, { nil: undefined }),
    // Two digits keep the number within the range of a double.
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-'), fc.integer({ min: 0, max: 99 })), { nil: undefined }),
  )
  .map(([sign, whole, fraction, exponent]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${exponent?.join('') ?? ''}`);

const characters = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 5 }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.constantFrom('\\u0000', '\\ud83d', '\\uDE00', '\\/', '\\u0041', '\\"', '\\\\', '\\n', '{', ']', ',', ':'),
);

const stringText = fc.array(characters, { maxLength: 5 }).map((parts) => `"${parts.join('')}"`);

const keyText = fc.oneof(stringText, fc.constantFrom('"__proto__"', '"constructor"', '"prototype"', '"toString"', '"a"', '"a"', '""'));

const padded = (text: fc.Arbitrary<string>) => fc.tuple(whitespace, text, whitespace).map((parts) => parts.join(''));

/** Any value in any notation, with whitespace wherever JSON allows it. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false'),
    numberText,
    stringText,
    fc.tuple(whitespace, fc.array(padded(tie('value')), { maxLength: 4 })).map(([space, items]) => `[${items.join(',') || space}]`),
    fc
      .tuple(whitespace, fc.array(fc.tuple(padded(keyText), padded(tie('value'))), { maxLength: 4 }))
      .map(([space, members]) => `{${members.map(([key, value]) => `${key}:${value}`).join(',') || space}}`),
  ),
})).value;
