import { expect, it } from 'vitest';
import type { PageForm } from '../../src/forms/forms-of-page.ts';
import { fillsHoneypot } from '../../src/submissions/page-honeypots.ts';

const form = (name: string | null, honeypot: string | null, ...fields: string[]): PageForm => ({
  ...{ kind: 'own', name, honeypot },
  fields: fields.map((field) => ({ name: field, type: 'text', label: null, isShown: true, values: null })),
});

const FORMS = [form('contact', 'fax', 'email', 'fax'), form('order', null, 'email', 'fax', 'lamp')];

it.each([
  ['{"email":"a","fax":"x"}', true],
  ['{"email":"a","fax":""}', false],
  ['{"email":"a","fax":false}', false],
  ['{"email":"a","fax":["","x"]}', true],
  ['{"email":"a","fax":"x","lamp":"b"}', false],
  ['{"form-name":"contact","fax":"x","lamp":"b"}', true],
  ['{"form-name":"order","fax":"x"}', false],
  // It may be of either form, and of one it is no honeypot.
  ['{"fax":"x"}', false],
])('%s is caught: %j', (data, isCaught) => {
  expect(fillsHoneypot(FORMS, data)).toBe(isCaught);
  expect(fillsHoneypot([form(null, null, 'email', 'fax')], data)).toBe(false);
});

it('catches what a script sends without all fields, where the field is a honeypot in each form', () => {
  const both = [form('a', 'fax', 'email', 'fax'), form('b', 'fax', 'fax', 'lamp')];
  expect([fillsHoneypot(both, '{"fax":"x"}'), fillsHoneypot(both, '{"email":"x"}')]).toEqual([true, false]);
});
