import fc from 'fast-check';

/** White space, most often none. */
const space = fc.constantFrom('', '', '', ' ', '\n', '\t \r\n');

const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: 4, maxLength: 4 });

const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.constantFrom('0', '7', '10', '9007199254740993', '18446744073709551615', '123456789012345678901234567890'),
    fc.constantFrom('', '.0', '.10', '.000'),
    fc.constantFrom('', 'e5', 'E+05', 'e-400', 'e400'),
  )
  .map((parts) => parts.join(''));

/** A text with white space around it. */
export const spaced = (text: fc.Arbitrary<string>) => fc.tuple(space, text, space).map((parts) => parts.join(''));

/** Any text of a JSON string: any characters, escapes of all kinds, and these pieces. */
export const stringTexts = (...pieces: string[]): fc.Arbitrary<string> => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text).slice(1, -1)),
    fc.constantFrom('\\"', '\\\\', '\\/', '\\b', '\u2028', ...pieces),
    hex.map((digits) => `\\u${digits}`),
  );
  return fc.array(piece, { maxLength: 4 }).map((all) => `"${all.join('')}"`);
};

/**
 * Names that JSON.parse can be asked about. The one of Node 24.21 takes some names for others that it has seen before:
 * after `{"a":1,"\\":1}` it reads `{"a":1,"\u0041":1}` as the same object. It takes a name with a backslash to do so.
 */
export const withoutBackslash = (nameText: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  nameText.filter((text) => !String(JSON.parse(text)).includes('\\'));

/** Any text of a JSON object with such names and strings: odd spacing, repeated names, numbers that no double holds. */
export const objectTexts = (nameText: fc.Arbitrary<string>, stringText: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.letrec<{ objectText: string; valueText: string }>((tie) => ({
    objectText: fc
      .tuple(space, fc.array(fc.tuple(spaced(nameText), spaced(tie('valueText')))))
      .map(([blank, members]) => `{${blank}${members.map((member) => member.join(':')).join(',')}}`),
    valueText: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('true', 'false', 'null', '[]', '{}', '[ ]', '{ }'),
      numberText,
      stringText,
      fc.array(spaced(tie('valueText')), { minLength: 1, maxLength: 4 }).map((items) => `[${items.join(',')}]`),
      tie('objectText'),
    ),
  })).objectText;
