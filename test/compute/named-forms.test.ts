import { describe, expect, it } from 'vitest';
import { formsOf } from '../../src/compute/check/check-page.ts';
import { SIZES } from '../../src/sizes.ts';

const SERVICE = { baseUrl: 'https://forms.test', pagesDomain: 'pages.test' };
const PAGE = { url: 'https://fair.pages.test', action: 'https://forms.test/submit/d_0VbbZBZKKTcBD17YQfyDgVGm' };

const read = (html: string) =>
  formsOf({ html: Buffer.from(html), addresses: { ...SERVICE, page: PAGE, site: undefined } }) ?? [];
const post = (html: string, attributes = ''): string =>
  `<form method="post" action="{{FORM_ACTION}}" ${attributes}>${html}</form>`;
const names = (html: string) => read(html).map(({ name }) => name);
const kinds = (html: string) => read(html).map(({ kind }) => kind);

describe('the name of a form', () => {
  it.each<[string, string, string | null]>([
    [
      'form-name',
      post('<input type="hidden" name="form-name" value="Offer"><h2>In it</h2>', 'name="n" id="i"'),
      'Offer',
    ],
    ['name', post('<h2>In it</h2>', 'name="signup" id="i"'), 'signup'],
    ['id', post('<h2>In it</h2>', 'name="" id="callback"'), 'callback'],
    ['a heading in it', `<h1>Shop</h1>${post('<h3>Call <em>me</em> back</h3><h4>More</h4>')}`, 'Call me back'],
    [
      'the last heading before it',
      `<h1>Shop</h1><h2></h2><h2>Ask us</h2><p>Do!</p>${post('')}<h2>After</h2>`,
      'Ask us',
    ],
    ['white space', post('', 'name=" \n  "'), null],
    ['controls', post('', 'name="a&#9;\u202eb"'), 'a b'],
    ['a long text', post('', `name="${'x'.repeat(300)}"`), 'x'.repeat(200)],
    ['none', post('<input name="a">'), null],
  ])('is %s', (_, html, name) => {
    expect(names(html)).toEqual([name]);
  });

  it('is not the heading in another form', () => {
    expect(names(`<h1>Top</h1>${post('<h2>First</h2>')}${post('<input name="a">')}`)).toEqual(['First', 'Top']);
  });
});

describe('a form is the own one of a page', () => {
  it.each<[string, string, string[]]>([
    ['by its address', post('<input name="a">'), ['own']],
    ['without an address', '<form method="post"></form>', ['own']],
    ['at a path of the page', '<form method="post" action="/success"></form>', ['own']],
    ['by a script', '<form id="a"></form><script>fetch("{{FORM_ACTION}}")</script>', ['own']],
    ['by an attribute for a framework', '<form hx-post="{{FORM_ACTION}}"></form>', ['own']],
    ['not where it searches', '<form role="search" method="post"></form>', ['other']],
    ['not where it filters', '<form method="get"></form><script>fetch("{{FORM_ACTION}}")</script>', ['other']],
    ['not where it goes elsewhere', '<form method="post" action="https://shop.test/"></form>', ['other']],
    ['not where it is no form', '<input name="a">', ['loose']],
  ])('%s', (_, html, expected) => {
    expect(kinds(html)).toEqual(expected);
  });
});

it('has its fields, with what is not shown, and its honeypot', () => {
  const html = post(
    `<input type="hidden" name="form-name" value="fair"><div hidden><input name="trap"></div>
     <label>Stand <select name="stand"><option>A</option></select></label>
     <p style="color:red;display:none"><textarea name="gone"></textarea></p>
     <button name="how" value="mail">By mail</button><button name="how" value="post">By post</button><input disabled name="off">`,
    'data-netlify-honeypot="trap"',
  );
  const seen = { label: null, isShown: true, values: null };
  expect(read(html)).toEqual([
    {
      ...{ kind: 'own', name: 'fair', honeypot: 'trap' },
      fields: [
        { ...seen, name: 'form-name', type: 'hidden', isShown: false, values: ['fair'] },
        { ...seen, name: 'trap', type: 'text', isShown: false },
        { ...seen, name: 'stand', type: 'select', label: 'Stand' },
        { ...seen, name: 'gone', type: 'textarea', isShown: false },
        { ...seen, name: 'how', type: 'submit', values: ['mail', 'post'] },
        { ...seen, name: 'off', type: 'text' },
      ],
    },
  ]);
});

it('forms and fields have bounds', () => {
  const { maxKeptForms, maxKeptFields } = SIZES.check;
  expect(read(post('').repeat(maxKeptForms + 5)).length).toBe(maxKeptForms);
  const many = Array.from({ length: maxKeptFields + 5 }, (_, index) => `<input name="f${index}">`).join('');
  expect(read(post(many) + post('<input name="a">')).map(({ fields }) => fields.length)).toEqual([maxKeptFields, 0]);
});
