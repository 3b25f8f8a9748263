import { describe, expect, it } from 'vitest';
import { readSource } from '../../../../src/dashboard/editor/source/page-source.ts';
import { applyEdits } from '../../../../src/dashboard/editor/source/source-edits.ts';
import { typeText } from '../../../../src/dashboard/editor/source/typed-text.ts';

describe('typeText', () => {
  const typed = (html: string, text: string, { id = 0, isNew = true } = {}): string =>
    applyEdits(html, typeText(readSource(html), id, text, isNew));

  it('gives a new page the title of its heading while both are the same', () => {
    expect(typed('<title>Open day</title><h1>Open day</h1>', 'A & B')).toBe(
      '<title>A &amp; B</title><h1>A &amp; B</h1>',
    );
  });

  it.each([
    ['a page that is live', '<title>A</title><h1>A</h1>', { isNew: false }, '<title>A</title><h1>B</h1>'],
    ['another title', '<title>Mine</title><h1>A</h1>', {}, '<title>Mine</title><h1>B</h1>'],
    ['another text', '<title>A</title><h1>A</h1><p>A</p>', { id: 1 }, '<title>A</title><h1>A</h1><p>B</p>'],
  ])('changes the text alone of %s', (_what, html, how, wanted) => {
    expect(typed(html, 'B', how)).toBe(wanted);
  });

  it('keeps the title where the heading is emptied', () => {
    expect(typed('<title>A</title><h1>A</h1>', ' ')).toBe('<title>A</title><h1></h1>');
  });
});
