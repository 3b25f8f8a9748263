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

  const choice = (value: string, label: string): string =>
    `<form><label><input type="radio" name="m" ${value}> <b>${label}</b></label><label><input type=radio name=m value=Meat> Meat</label></form>`;

  it.each([
    ['that is the same', 'value="Egg &amp; ham"', 'value="Fish"'],
    ['that is another', 'value="1"', 'value="1"'],
    ['that is missing', '', ''],
  ])('changes the words of a choice with a value %s', (_what, before, after) => {
    expect(typed(choice(before, 'Egg & ham'), 'Fish', { isNew: false })).toBe(choice(after, 'Fish'));
  });

  it('changes the value of a single checkbox with its words', () => {
    const box = (text: string): string =>
      `<form><label><input type=checkbox name=c value="${text}"> ${text}</label></form>`;
    expect(typed(box('I agree'), 'Yes')).toBe(box('Yes'));
  });

  it('changes what agents are told of a form and a field with the words', () => {
    const page = (title: string, intro: string, lunch: string): string =>
      `<h1>${title}</h1><p>${intro}</p><form tooldescription="${title} – ${intro}"><label>${lunch}<input name=a toolparamdescription="${lunch}"></label></form>`;
    const before = page('Open day', 'Come and see', 'Lunch?');
    expect(typed(before, 'Summer party')).toBe(page('Summer party', 'Come and see', 'Lunch?'));
    expect(typed(before, 'On 3 May', { id: 1 })).toBe(page('Open day', 'On 3 May', 'Lunch?'));
    expect(typed(before, 'Dinner?', { id: 2 })).toBe(page('Open day', 'Come and see', 'Dinner?'));
    const own = '<h1>A</h1><form tooldescription="About A"><input toolparamdescription="A B"></form>';
    expect(typed(own, 'C', { isNew: false })).toBe(own.replace('<h1>A', '<h1>C'));
  });

  it('keeps the title where the heading is emptied', () => {
    expect(typed('<title>A</title><h1>A</h1>', ' ')).toBe('<title>A</title><h1></h1>');
  });
});
