import { describe, expect, it } from 'vitest';
import { labelsOf, type PageField, type PageForm } from '../../src/forms/forms-of-page.ts';
import { matchForm, severalNames } from '../../src/forms/match-form.ts';

const field = (name: string, more: Partial<PageField> = {}): PageField => ({
  ...{ name, type: 'text', label: null, isShown: true, values: null },
  ...more,
});
const form = (name: string | null, fields: (string | PageField)[], more: Partial<PageForm> = {}): PageForm => ({
  ...{ kind: 'own', name, honeypot: null },
  fields: fields.map((one) => (typeof one === 'string' ? field(one) : one)),
  ...more,
});

const CONTACT = form('contact', ['name', 'email', 'message', field('copy', { type: 'checkbox' })]);
const NEWS = form('news', ['email']);
const ORDER = form('order', ['name', field('size', { type: 'radio' }), field('note', { type: 'textarea' })]);
const SEARCH = form('search', ['q'], { kind: 'other' });
const SHOP = [CONTACT, NEWS, ORDER, SEARCH];
const hidden = (name: string, value: string) => field(name, { type: 'hidden', isShown: false, values: [value] });
const button = (name: string, ...values: string[]) => field(name, { type: 'submit', values });

describe('the form of a submission', () => {
  it.each<[string, readonly PageForm[], object | string, string | null]>([
    ['has exactly these fields', SHOP, { name: 'A', email: 'a@b.c', message: '' }, 'contact'],
    ['has a ticked box as well', SHOP, { name: 'A', email: 'a@b.c', message: 'm', copy: 'on' }, 'contact'],
    ['is the one with the fewest others', SHOP, { email: 'a@b.c' }, 'news'],
    ['is the one that has most of them', SHOP, { name: 'A', email: 'a@b.c', phone: '1' }, 'contact'],
    ['is known in JSON, with values of any kind', SHOP, { name: 'A', size: null, note: { a: [1] } }, 'order'],
    ['is not asked of forms that go elsewhere', SHOP, { q: 'shoes' }, null],
    ['is not known by fields of none', SHOP, { age: '7' }, null],
    ['is not known without fields', SHOP, {}, null],
    ['is not one of two that are alike', [form('a', ['x']), form('b', ['x'])], { x: '1' }, null],
    ['is the name that two alike have', [form('a', ['x']), form('a', ['x']), NEWS], { x: '1' }, 'a'],
    [
      'is told by a hidden field',
      [form('a', ['x', hidden('at', 'top')]), form('b', ['x', hidden('at', 'end')])],
      { x: '1', at: 'end' },
      'b',
    ],
    [
      'is told by the button',
      [form('a', ['x', button('go', 'Buy')]), form('b', ['x', button('go', 'Ask', 'Sell')])],
      { x: '1', go: 'Sell' },
      'b',
    ],
    [
      'is not told by a button that both may have',
      [form('a', ['x', button('go', '1')]), form('b', ['x', button('go', '1')])],
      { x: '1', go: '1' },
      null,
    ],
    [
      'is found whatever control fields say',
      SHOP,
      { email: 'a@b.c', _redirect: 'https://x.test', 'h-captcha-response': 't' },
      'news',
    ],
    [
      'has control fields that are its own',
      [form('a', ['x', hidden('_subject', 's')]), form('b', ['x'])],
      { x: '1', _subject: 's' },
      'a',
    ],
    ['is the form-name', SHOP, { 'form-name': 'news', name: 'A', email: 'a@b.c', message: '' }, 'news'],
    [
      'is a form-name that no form has',
      SHOP,
      { 'form-name': ' Of\u0000 another\n site ', email: 'a@b.c' },
      'Of another site',
    ],
    ['is a long form-name, cut', [], { 'form-name': `${'x'.repeat(199)}😀` }, 'x'.repeat(199)],
    ['is a form-name with half a character', [], '{"form-name":"a\\ud800b"}', 'a\ufffdb'],
    ['is the first form-name of several', [], { 'form-name': ['', 'b'] }, null],
    ['is no form-name that is no text', [], { 'form-name': 7 }, null],
    ['is no empty form-name', SHOP, { 'form-name': '  ', email: 'a@b.c' }, 'news'],
    ['is none where the page has one', [CONTACT, SEARCH], { name: 'A', email: 'a@b.c', message: '' }, null],
    ['is none where it is named and the only one', [CONTACT], { 'form-name': 'contact', name: 'A' }, null],
    ['is another one where the only one is not named', [CONTACT], { 'form-name': 'guests' }, 'guests'],
    ['is none where it has no name', [form(null, ['x']), NEWS], { x: '1' }, null],
    [
      'has names of objects',
      [form('a', ['__proto__', 'constructor']), NEWS],
      '{"__proto__":"1","constructor":"2"}',
      'a',
    ],
  ])('%s', (_, forms, data, expected) => {
    expect(matchForm(forms, typeof data === 'string' ? data : JSON.stringify(data)).name).toBe(expected);
  });
});

describe('the honeypot of a form', () => {
  const ASK = form('ask', ['email', 'fax'], { honeypot: 'fax' });
  const BUY = form('buy', ['email', 'fax', 'lamp']);

  it.each<[string, readonly PageForm[], object, boolean]>([
    ['is filled in', [ASK, BUY], { email: 'a', fax: 'x' }, true],
    ['is empty', [ASK, BUY], { email: 'a', fax: '' }, false],
    ['is a box that a script did not tick', [ASK, BUY], { email: 'a', fax: false }, false],
    ['is a box that a script did not tick, as a text', [ASK, BUY], { email: 'a', fax: ['false'] }, false],
    ['is filled in once of two times', [ASK, BUY], { email: 'a', fax: ['', 'x'] }, true],
    ['is a field of another form', [ASK, BUY], { email: 'a', fax: 'x', lamp: 'b' }, false],
    ['is that of the form-name', [ASK, BUY], { 'form-name': 'ask', fax: 'x', lamp: 'b' }, true],
    ['is none in the form of the form-name', [ASK, BUY], { 'form-name': 'buy', fax: 'x' }, false],
    [
      'is that of the form that fits where no form has the form-name',
      [ASK, BUY],
      { 'form-name': 'no', fax: 'x' },
      true,
    ],
    ['is a field of another form that fits as well', [ASK, form('b', ['fax', 'note'])], { fax: 'x' }, false],
    ['is one in each form that fits', [ASK, form('b', ['fax', 'note'], { honeypot: 'fax' })], { fax: 'x' }, true],
    ['is one in all forms that have it', [ASK, form('b', ['note'])], { 'form-name': 'no', fax: 'x' }, true],
    ['is not in the HTML of the only form', [form(null, ['email'], { honeypot: 'trap' })], { trap: 'x' }, true],
    ['is declared by a form that goes elsewhere', [{ ...ASK, kind: 'other' }, BUY], { email: 'a', fax: 'x' }, false],
    ['is declared by no form', [BUY], { email: 'a', fax: 'x' }, false],
  ])('%s', (_, forms, data, expected) => {
    expect(matchForm(forms, JSON.stringify(data)).isHoneypotFilled).toBe(expected);
  });
});

it('the names of a page are those of its own forms, where they are several', () => {
  expect(severalNames(SHOP)).toEqual(['contact', 'news', 'order']);
  expect([severalNames([CONTACT, CONTACT, SEARCH]), severalNames([]), severalNames([form(null, []), NEWS])]).toEqual([
    [],
    [],
    ['news'],
  ]);
});

it('labels are those of the form, and of no other form for its fields', () => {
  const labelled = (name: string, label: string | null) => field(name, { label });
  const forms = [
    form('a', [labelled('email', 'Your address'), labelled('x', 'X of a')]),
    form('b', [labelled('email', 'E-mail'), labelled('x', null), labelled('_hp', 'Trap')]),
  ];
  expect(Object.fromEntries(labelsOf(forms, 'b'))).toEqual({ email: 'E-mail' });
  expect(Object.fromEntries(labelsOf(forms, 'unknown'))).toEqual({ email: 'Your address', x: 'X of a' });
  expect(Object.fromEntries(labelsOf(forms))).toEqual({ email: 'Your address', x: 'X of a' });
});
