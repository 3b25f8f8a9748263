import { describe, expect, it } from 'vitest';
import { oneLine, withBlanksOf } from '../../../../src/dashboard/editor/source/kept-blanks.ts';

describe('withBlanksOf', () => {
  it.each([
    ['the\n  rules', 'the rules!', 'the\n  rules!'],
    ['the\n  rules', '!the rules', '!the\n  rules'],
    ['the\n  old\u00a0 rules\there', 'the new rules here', 'the\n  new\u00a0 rules\there'],
    ['le\u00a0prix\nest', 'le\u00a0prix est!', 'le\u00a0prix\nest!'],
    ['a \u00a0\nb', 'a \u00a0 b!', 'a \u00a0\nb!'],
    ['the\nrules', 'therules', 'therules'],
    ['a\nb', 'a  b', 'a\n b'],
    ['a\nb', '', ''],
    ['', 'a b', 'a b'],
    ['a\na', 'a', 'a'],
    ['a\na', 'a a a', 'a\na a'],
  ])('of %j and %j is %j', (before, typed, wanted) => {
    expect(withBlanksOf(before, typed)).toBe(wanted);
  });

  it('gives a text back that is not changed', () => {
    for (const text of ['\n a\r\n b \n', ' ', '', 'a']) expect(withBlanksOf(text, oneLine(text))).toBe(text);
  });
});
