import fc from 'fast-check';
import { parseFragment } from 'parse5';
import { describe, expect, it } from 'vitest';
import { changeText, readText, TEXT } from '../../../../src/dashboard/editor/source/new-text.ts';
import { applyEdits } from '../../../../src/dashboard/editor/source/source-edits.ts';

const changed = (raw: string, text: string): string => {
  const html = `<p>${raw}</p>`;
  return applyEdits(html, changeText(html, { from: 3, to: 3 + raw.length }, text, TEXT)).slice(3, -4);
};

describe('changeText', () => {
  it.each([
    ['We <3 tea', 'We love tea', 'We love tea'],
    ['We <3 tea', 'We <love tea', 'We &lt;love tea'],
    ['I <3 you', 'I <l you', 'I &lt;l you'],
    ['a < b', 'a <b', 'a &lt;b'],
    ['a < /b', 'a </b', 'a &lt;/b'],
    ['a < !', 'a <!', 'a &lt;!'],
    ['a < b', 'a < c', 'a < c'],
    ['a < b', 'a <  b', 'a <  b'],
    ['a <', 'a <<', 'a <&lt;'],
    ['1 <&amp; 2', '1 <x 2', '1 &lt;x 2'],
  ])('writes %j as %j without a new tag', (raw, text, wanted) => {
    expect(changed(raw, text)).toBe(wanted);
  });

  it('is read as the text by a browser, whatever was there before', () => {
    const parts = fc.array(
      fc.constantFrom('<', '<3', '< ', 'a', '/', '!', '?', ' ', '&', 'amp;', '&lt;', '&#60;', '-'),
    );
    const raw = parts.map((some) => some.join('').replaceAll(/<(?=[a-z/!?])/g, '< '));
    const text = parts.map((some) => some.join(''));
    fc.assert(
      fc.property(raw, text, (before, after) => {
        const [paragraph, ...others] = parseFragment(`<p>${changed(before, after)}</p>`).childNodes;
        expect(others).toEqual([]);
        const [node, ...more] = paragraph && 'childNodes' in paragraph ? paragraph.childNodes : [];
        expect(more).toEqual([]);
        expect(node && 'value' in node ? node.value : '').toBe(after);
        expect(readText(changed(before, after), TEXT)).toBe(after);
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });
});
