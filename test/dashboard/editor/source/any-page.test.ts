import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EditHistory } from '../../../../src/dashboard/editor/source/edit-history.ts';
import {
  editImage,
  editLink,
  editText,
  type Place,
  places,
} from '../../../../src/dashboard/editor/source/editable-places.ts';
import { untouchable } from '../../../../src/dashboard/editor/source/fixed-parts.ts';
import {
  addField,
  changeField,
  moveField,
  removeField,
} from '../../../../src/dashboard/editor/source/form/form-edits.ts';
import { forms } from '../../../../src/dashboard/editor/source/form/source-forms.ts';
import { markForFrame } from '../../../../src/dashboard/editor/source/frame-marks.ts';
import { editHead, head } from '../../../../src/dashboard/editor/source/page-head.ts';
import { type PageSource, readSource } from '../../../../src/dashboard/editor/source/page-source.ts';
import { applyEdits, type Edit } from '../../../../src/dashboard/editor/source/source-edits.ts';
import { realPages } from '../../../support/real-pages.ts';

const PAGES = realPages(200).map(({ name, html }) => ({ name, html, source: readSource(html) }));

const collapsed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
/** Words that people type, with what HTML has to escape. */
const words = fc
  .array(
    fc.oneof(fc.constantFrom('&', '<b>', '&amp;', '"', "'", '&copy', '</p>', '<!--', ';', 'é', '😀', 'ß'), fc.string()),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((parts) => collapsed(`a${parts.join('')}b`.replaceAll(/\p{Cc}/gu, '')));

/** What a place says, without where it stands. */
const said = ({ kind, text, href, src, alt }: Place) => ({ kind, text, href, src, alt });

/** The texts before and after the edits: all else is the same. */
function expectOnlyThere(html: string, after: string, edits: readonly Edit[]): void {
  const from = Math.min(...edits.map((edit) => edit.from));
  const behind = html.length - Math.max(...edits.map((edit) => edit.to));
  expect(after.slice(0, from) === html.slice(0, from)).toBe(true);
  expect(behind === 0 || after.slice(-behind) === html.slice(-behind)).toBe(true);
}

function expectUndone(html: string, after: string): void {
  const history = new EditHistory(html);
  history.push(after);
  expect(history.undo() === html).toBe(true);
  expect(history.redo() === after).toBe(true);
}

/** Makes edits of a page, and checks that they change their part alone and can be taken back. */
function edited(source: PageSource, edits: readonly Edit[]): PageSource {
  const after = applyEdits(source.html, edits);
  if (edits.length > 0) expectOnlyThere(source.html, after, edits);
  expectUndone(source.html, after);
  return readSource(after);
}

describe.each([PAGES.length])('each of %i real pages', (count) => {
  it('is one of 200', () => {
    expect(count).toBe(200);
    expect(PAGES.filter(({ source }) => places(source).length > 0).length).toBeGreaterThan(180);
    expect(PAGES.filter(({ source }) => forms(source).some(({ fields }) => fields.length > 0)).length).toBeGreaterThan(
      100,
    );
  });

  it('has another text where its first, its middle and its last one were edited', () => {
    for (const { name, source } of PAGES) {
      const texts = places(source).filter((place) => place.text);
      for (const place of new Set([texts[0], texts[texts.length >> 1], texts.at(-1)])) {
        if (!place) continue;
        const after = places(edited(source, editText(source, place.id, 'Tom & <Jerry>')));
        const expected = places(source).map((one) =>
          said(one.id === place.id ? { ...one, text: 'Tom & <Jerry>' } : one),
        );
        expect(after.map(said), name).toEqual(expected);
      }
    }
  });

  it('has another text where one was edited, and nothing else', () => {
    const page = fc.constantFrom(...PAGES.filter(({ source }) => places(source).some(({ text }) => text)));
    fc.assert(
      fc.property(page, fc.nat(), words, ({ source }, random, text) => {
        const texts = places(source).filter((place) => place.text);
        const place = texts[random % texts.length];
        if (!place) return;
        const after = places(edited(source, editText(source, place.id, text)));
        const expected = places(source).map((one) => said(one.id === place.id ? { ...one, text } : one));
        expect(after.map(said)).toEqual(expected);
      }),
      { numRuns: 100, seed: 1 },
    );
  });

  it('has another address or text of an image where links and images were edited', () => {
    const page = fc.constantFrom(
      ...PAGES.filter(({ source }) => places(source).some(({ kind }) => kind === 'link' || kind === 'image')),
    );
    fc.assert(
      fc.property(page, fc.nat(), words, ({ source }, random, value) => {
        const found = places(source).filter(({ kind }) => kind === 'link' || kind === 'image');
        const place = found[random % found.length];
        if (!place) return;
        const isLink = place.kind === 'link';
        const change = isLink ? { href: value } : { src: value, alt: `${value}!` };
        const edits = isLink ? editLink(source, place.id, change) : editImage(source, place.id, change);
        const after = places(edited(source, edits));
        expect(after.map(said)).toEqual(
          places(source).map((one) => said(one.id === place.id ? { ...one, ...change } : one)),
        );
      }),
      { numRuns: 80, seed: 1 },
    );
  });

  it('has another title, description and colour where they were edited', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PAGES), words, words, ({ source }, title, description) => {
        const change = { title, description, color: '#123456' };
        const after = edited(source, editHead(source, change));
        expect(head(after)).toEqual(change);
        expect(places(after).map(said)).toEqual(places(source).map(said));
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it('has its other fields as they were where one was changed, moved, added or removed', () => {
    const page = fc.constantFrom(
      ...PAGES.filter(({ source }) => forms(source)[0]?.fields.some(({ isEditable }) => isEditable)),
    );
    const told = ({ name, label, type, isRequired, options }: ReturnType<typeof forms>[number]['fields'][number]) => ({
      ...{ name, label, type, isRequired, options },
    });
    const fieldsOf = (source: PageSource) => (forms(source)[0]?.fields ?? []).map(told);
    const types = fc.constantFrom('text', 'email', 'tel', 'number', 'date', 'choice', 'checkbox', 'file', 'long-text');
    fc.assert(
      fc.property(page, fc.nat(), fc.nat(), words, types, ({ source }, random, to, label, type) => {
        const form = { index: 0 };
        const fields = forms(source)[0]?.fields ?? [];
        const field = fields.filter(({ isEditable }) => isEditable)[random % fields.length];
        if (!field) return;
        const before = fieldsOf(source);
        const removed = edited(source, removeField(source, form, field));
        const left = fieldsOf(removed);
        // A group without a label gets that of a fieldset which it is alone in now.
        const others = before.toSpliced(field.index, 1).map((one, at) => {
          return one.label === '' && one.options ? { ...one, label: left[at]?.label } : one;
        });
        expect(left).toEqual(others);
        const target = to % fields.length;
        const moves = moveField(source, form, field, target);
        const moved = before.toSpliced(field.index, 1).toSpliced(target, 0, told(field));
        expect(fieldsOf(edited(source, moves))).toEqual(moves.length > 0 ? moved : before);
        const relabelled = changeField(source, form, field, { label });
        const called = field.canBeLabelled ? { ...told(field), label } : told(field);
        expect(fieldsOf(edited(source, relabelled))).toEqual(before.with(field.index, called));
        const isRequired = field.isRequired !== field.canBeRequired;
        const required = changeField(source, form, field, { isRequired });
        expect(fieldsOf(edited(source, required))).toEqual(before.with(field.index, { ...told(field), isRequired }));
        const more = [...(field.options ?? []).toReversed(), { value: '', label }];
        const chosen = field.canChangeOptions ? changeField(source, form, field, { options: more }) : [];
        const after = fieldsOf(edited(source, chosen));
        expect(after.toSpliced(field.index, 1)).toEqual(before.toSpliced(field.index, 1));
        if (field.canChangeOptions) {
          expect(after[field.index]?.options?.map((option) => option.label)).toEqual(
            more.map((option) => option.label),
          );
        }
        const options = [
          { value: '', label: 'One' },
          { value: 'two', label: 'Two' },
        ];
        const wanted = { label, type, isRequired: false, ...(type === 'choice' && { options }) };
        const added = fieldsOf(edited(source, addField(source, form, wanted, field)));
        expect(added.toSpliced(field.index, 1)).toEqual(before);
        expect(added[field.index]).toMatchObject({ label, type, isRequired: false });
      }),
      { numRuns: 80, seed: 1 },
    );
  });

  it.each(['\n', '\r\n', '\r'])(
    'has each line break %j as it was where a text of several lines was edited',
    (lineBreak) => {
      const letter = 'ж';
      const pages = PAGES.filter(({ html }) => !html.includes(letter)).map(({ name, html }) => {
        return { name, source: readSource(html.replaceAll(/\r\n?|\n/g, lineBreak)) };
      });
      let [texts, labels] = [0, 0];
      for (const { name, source } of pages) {
        const expectKept = (edits: readonly Edit[]): void => {
          const after = edited(source, edits).html;
          expect(after.length, name).toBeGreaterThan(source.html.length);
          expect(after.replaceAll(letter, '') === source.html, name).toBe(true);
        };
        for (const { id, text } of places(source)
          .filter((place) => place.text?.includes('\n'))
          .slice(0, 3)) {
          texts += 1;
          // At both ends, as people do before they press Enter.
          expectKept(editText(source, id, `${letter}${text}${letter}`));
        }
        const { title } = head(source);
        if (title && /<title[^>]*>[^<]*<\/title/i.test(source.html))
          expectKept(editHead(source, { title: title + letter }));
        for (const form of forms(source)) {
          for (const field of form.fields.filter(({ label }) => label !== '')) {
            labels += 1;
            expectKept(changeField(source, form, field, { label: field.label + letter }));
            const options = field.options?.map((option) => ({ ...option, label: option.label + letter }));
            if (options && field.canChangeOptions) expectKept(changeField(source, form, field, { options }));
          }
        }
      }
      expect(texts).toBeGreaterThan(50);
      expect(labels).toBeGreaterThan(100);
    },
  );

  it('has its places in the frame too, marked by their ids', () => {
    for (const { source } of PAGES) {
      const marked = markForFrame(source);
      const ids = Array.from(marked.matchAll(/ data-formhost-place="(\d+)"/g), ([, id]) => Number(id));
      expect(ids.toSorted((one, other) => one - other)).toEqual(places(source).map(({ id }) => id));
      expect(places(readSource(marked)).map(said)).toEqual(places(source).map(said));
      expect(untouchable(source).every(({ line, column }) => line > 0 && column > 0)).toBe(true);
    }
  });
});
