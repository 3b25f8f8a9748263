import { describe, expect, it } from 'vitest';
import { editText } from '../../src/sites/text-edits.ts';

const edit = (find: string, replace: string) => ({ find, replace });

describe('editText', () => {
  it.each([
    ['abc', [edit('b', 'B')], 'aBc'],
    // Each text is looked for before any edit is made, in any order.
    ['abc', [edit('c', 'a'), edit('a', 'c')], 'cba'],
    ['abc', [edit('a', ''), edit('b', 'bb'), edit('c', '')], 'bb'],
    ['ab', [edit('ab', "$& $1 $` \\n {{FORM_ACTION}} $'")], "$& $1 $` \\n {{FORM_ACTION}} $'"],
    ['a.c', [edit('.', '*')], 'a*c'],
    ['<p>é🙂', [edit('🙂', '🙃')], '<p>é🙃'],
    ['aab', [edit('ab', 'x')], 'ax'],
    ['abababc', [edit('ababc', 'x')], 'abx'],
    ['abc', [edit('abc', 'abc')], 'abc'],
  ])('makes of %j with %j %j', async (text, edits, edited) => {
    expect(await editText(text, edits)).toBe(edited);
  });

  it.each([
    ['abc', [edit('x', ''), edit('b', 'B')], [{ edit: 0, occurrences: 0 }]],
    ['abcabc', [edit('abca', ''), edit('b', 'B')], [{ edit: 1, occurrences: 2 }]],
    ['aaaa', [edit('aa', '')], [{ edit: 0, occurrences: 3 }]],
    ['ABC', [edit('abc', '')], [{ edit: 0, occurrences: 0 }]],
    ['a', [edit('aa', '')], [{ edit: 0, occurrences: 0 }]],
    ['abcd', [edit('bc', ''), edit('ab', '')], [{ edit: 0, overlaps: 1 }]],
    ['abcd', [edit('bc', ''), edit('bc', '')], [{ edit: 1, overlaps: 0 }]],
    [
      'abcd',
      [edit('x', ''), edit('abcd', ''), edit('b', ''), edit('c', '')],
      [
        { edit: 0, occurrences: 0 },
        { edit: 2, overlaps: 1 },
        { edit: 3, overlaps: 1 },
      ],
    ],
  ])('refuses for %j the edits %j', async (text, edits, faults) => {
    expect(await editText(text, edits)).toEqual(faults);
  });

  it('looks for a text that nearly occurs everywhere, in linear time', async () => {
    const find = `b${'a'.repeat(100_000)}`;
    const text = 'a'.repeat(2_000_000);
    expect(await editText(text, [edit(find, '')])).toEqual([{ edit: 0, occurrences: 0 }]);
    expect(await editText(text + find, [edit(find, '!')])).toBe(`${text}!`);
  });
});
