import { describe, expect, it } from 'vitest';
import {
  addField,
  changeField,
  moveField,
  removeField,
} from '../../../../src/dashboard/editor/source/form/form-edits.ts';
import { forms } from '../../../../src/dashboard/editor/source/form/source-forms.ts';
import { type PageSource, readSource } from '../../../../src/dashboard/editor/source/page-source.ts';
import { applyEdits, type Edit } from '../../../../src/dashboard/editor/source/source-edits.ts';

const FORM = { index: 0 };
const fieldsIn = (html: string) => forms(readSource(`<form>${html}</form>`))[0]?.fields ?? [];
/** Fields as `type name "label"`, with `*` where they are required. */
const brief = (html: string): string[] =>
  fieldsIn(html).map(({ type, name, label, isRequired }) => `${type} ${name} "${label}"${isRequired ? ' *' : ''}`);
/** The content of a form after edits. */
const changed = (html: string, change: (source: PageSource) => Edit[]): string =>
  applyEdits(`<form>${html}</form>`, change(readSource(`<form>${html}</form>`))).replaceAll(/^<form>|<\/form>$/g, '');

const ROWS = `
  <div class="row">
    <label class="l" for="a">First name</label>
    <input class="c" id="a" name="first" required>
    <small>As in your passport</small>
  </div>
  <div class="row">
    <label class="l" for="b">Country</label>
    <select class="s" id="b" name="country"><option value="">Choose</option><option>NL</option><option value="de">Germany</option></select>
  </div>
  <button>Send</button>
`;

describe('forms', () => {
  it('have the fields that visitors fill in, with their labels', () => {
    expect(brief(ROWS)).toEqual(['text first "First name" *', 'choice country "Country"']);
    expect(fieldsIn(ROWS)[1]?.options).toEqual([
      { value: 'NL', label: 'NL' },
      { value: 'de', label: 'Germany' },
    ]);
    expect(
      brief(
        '<label>Mail <b>*</b><input type=email name=e required></label><input aria-label=Phone type=tel name=t><input placeholder=Age type=number name=n>' +
          'Day: <input type=date name=d><label><input type=checkbox name=c> Yes</label><input type=file name=f><textarea name=m></textarea>' +
          '<input type=color name=o><input type=hidden name=h><input name=_hp><input hidden name=x><input><button name=b>Go</button>',
      ),
    ).toEqual([
      ...['email e "Mail" *', 'tel t "Phone"', 'number n "Age"', 'date d "Day:"', 'checkbox c "Yes"'],
      ...['file f ""', 'long-text m ""', 'other o ""'],
    ]);
  });

  it('have one field for radio buttons and for checkboxes with one name', () => {
    const group = (type: string) =>
      `<fieldset><legend>Lunch</legend><label><input type=${type} name=l value=a required> Any</label><label><input type=${type} name=l value=v> Vegan</label></fieldset>`;
    const options = [
      { value: 'a', label: 'Any' },
      { value: 'v', label: 'Vegan' },
    ];
    expect(fieldsIn(group('radio'))).toMatchObject([
      { type: 'choice', label: 'Lunch', isRequired: true, canBeRequired: true, canChangeOptions: true, options },
    ]);
    expect(fieldsIn(group('checkbox'))).toMatchObject([
      { type: 'choice', label: 'Lunch', isRequired: false, canBeRequired: false, canChangeOptions: true, options },
    ]);
  });

  it('say which fields can only be changed in the code', () => {
    const [away, repeated] = fieldsIn(
      '<p><label for=a>Name</label></p><p><b>x</b></p><input id=a name=a><input name=b name=c>',
    );
    expect(away).toMatchObject({ isEditable: false, reason: 'place' });
    expect(repeated).toMatchObject({ isEditable: false, reason: 'repeated' });
  });

  it('are several on a page, and a field may stand outside of its form', () => {
    const html = '<form id=one><input name=a></form><form><input name=b></form><input name=c form=one>';
    expect(forms(readSource(html)).map(({ fields }) => fields.map(({ name }) => name))).toEqual([['a', 'c'], ['b']]);
  });
});

describe('a form in a table or a list of terms', () => {
  const TABLE = `
<table>
  <tr><th>Name</th><td><input name=n></td></tr>
  <tr><td>Your mail</td><td><input type=email name=m></td><td>never shown</td></tr>
</table>`;
  const row = '<tr><td>Phone</td><td><input name="phone" type="tel" autocomplete="tel"></td></tr>';

  it('has the words in the cells before as labels', () => {
    expect(brief(TABLE)).toEqual(['text n "Name"', 'email m "Your mail"']);
    expect(brief('<dl><dt>A<dd><input name=a><dt><dd><input name=b></dl>')).toEqual(['text a "A"', 'text b ""']);
    const grid = '<table><tr><td>A<td><input name=a><td>B<td><input name=b><td><input name=c></table>';
    expect(brief(grid)).toEqual(['text a "A"', 'text b "B"', 'text c ""']);
  });

  it('gets a row for a new field, and other words in a cell', () => {
    const added = changed(TABLE, (source) =>
      addField(source, FORM, { label: 'Phone', type: 'tel', isRequired: false }),
    );
    expect(added).toContain(row);
    expect(brief(added)).toEqual(['text n "Name"', 'email m "Your mail"', 'tel phone "Phone"']);
    expect(changed(TABLE, (source) => changeField(source, FORM, { index: 1 }, { label: 'Address' }))).toBe(
      TABLE.replace('Your mail', 'Address'),
    );
    expect(brief(changed(TABLE, (source) => moveField(source, FORM, { index: 1 }, 0)))).toEqual([
      'email m "Your mail"',
      'text n "Name"',
    ]);
    expect(changed(TABLE, (source) => removeField(source, FORM, { index: 0 }))).toBe(
      TABLE.replace('\n  <tr><th>Name</th><td><input name=n></td></tr>', ''),
    );
  });
});

describe('addField', () => {
  it('gives a field the shape of its neighbours, without what is theirs', () => {
    expect(
      changed(ROWS, (source) => addField(source, FORM, { label: 'Café & co?', type: 'email', isRequired: true })),
    ).toBe(
      ROWS.replace(
        '\n  <button>',
        `
  <div class="row">
    <label class="l" for="cafe_and_co">Café &amp; co?</label>
    <input name="cafe_and_co" id="cafe_and_co" class="c" type="email" autocomplete="email" required>
  </div>
  <button>`,
      ),
    );
    expect(
      changed(ROWS, (source) =>
        addField(source, FORM, { label: 'First', type: 'long-text', isRequired: false }, { index: 0 }),
      ),
    ).toBe(`
  <div class="row">
    <label class="l" for="first_2">First</label>
    <textarea name="first_2" id="first_2" class="c" rows="4"></textarea>
  </div>${ROWS}`);
  });

  it('writes choices as those that are there', () => {
    const field = {
      ...({ label: 'Size', type: 'choice', isRequired: false } as const),
      options: [
        { value: '', label: 'S & M' },
        { value: 'l', label: 'L' },
      ],
    };
    expect(changed('<p><label>A <input name=a></label></p>', (source) => addField(source, FORM, field))).toBe(
      '<p><label>A <input name=a></label></p> <p><label>Size <select name="size"><option>S &amp; M</option><option value="l">L</option></select></label></p>',
    );
    const radio =
      '<fieldset><legend>Lunch</legend><label class="r"><input type="radio" name="l" value="a"> Any</label></fieldset>';
    expect(changed(radio, (source) => addField(source, FORM, field))).toBe(
      `${radio} <fieldset><legend>Size</legend><label class="r"><input type="radio" name="size" value="S &amp; M"> S &amp; M</label>` +
        '<label class="r"><input type="radio" name="size" value="l"> L</label></fieldset>',
    );
  });

  it('makes the form send files', () => {
    const html = '<form action=x><label>A <input name=a></label></form>';
    const edits = addField(readSource(html), FORM, { label: 'CV', type: 'file', isRequired: false });
    expect(applyEdits(html, edits)).toBe(
      '<form action=x method="post" enctype="multipart/form-data"><label>A <input name=a></label> <label>CV <input name="cv" type="file"></label></form>',
    );
  });

  it.each([
    ['a comment without an end', '<form>A<!-- b</form>', '<form>{field} A<!-- b</form>'],
    ['an element without an end', '<form><div>A</form><br>', '<form>{field} <div>A</form><br>'],
  ])('begins a form with %s, so that it has the field', (_what, html, wanted) => {
    const after = applyEdits(html, addField(readSource(html), FORM, { label: 'A', type: 'text', isRequired: false }));
    expect(after).toBe(wanted.replace('{field}', '<p><label>A <input name="a"></label></p>'));
    expect(forms(readSource(after))[0]?.fields.map(({ name }) => name)).toEqual(['a']);
  });

  it('begins a form that has none, and takes no name with a meaning', () => {
    expect(
      changed('<button>Go</button>', (source) =>
        addField(source, FORM, { label: '名', type: 'text', isRequired: false }),
      ),
    ).toMatch(/^<p><label>名 <input name="\w+"><\/label><\/p> <button>Go<\/button>$/);
    const service = '<input type=hidden name=access_key value=x><label>A <input name=a></label>';
    expect(
      changed(service, (source) => addField(source, FORM, { label: 'Redirect', type: 'text', isRequired: false })),
    ).toContain('name="redirect_2"');
  });
});

describe('changeField, moveField and removeField', () => {
  it.each<[string, Parameters<typeof changeField>[3], string, string]>([
    ['a label', { label: 'Name' }, 'First name', 'Name'],
    ['what is required', { isRequired: false }, ' required', ''],
    [
      'both',
      { label: 'Name', isRequired: false },
      'First name</label>\n    <input class="c" id="a" name="first" required>',
      'Name</label>\n    <input class="c" id="a" name="first">',
    ],
  ])('change %s alone', (_what, change, before, after) => {
    expect(changed(ROWS, (source) => changeField(source, FORM, { index: 0 }, change))).toBe(
      ROWS.replace(before, after),
    );
  });

  it('change what agents are told of a field with its label', () => {
    const form = (label: string): string =>
      `<form><label>${label} <input name=a toolparamdescription="${label}"></label></form>`;
    const relabelled = changed(form('Name'), (source) => changeField(source, FORM, { index: 0 }, { label: 'A & B' }));
    expect(relabelled).toBe(form('A &amp; B'));
  });

  it('give choices without a label a legend, and no choice the label of all', () => {
    const choices =
      '<label><input type=radio name=a value=1> One</label><label><input type=radio name=a value=2> Two</label>';
    const relabelled = (html: string) =>
      changed(html, (source) => changeField(source, FORM, { index: 0 }, { label: 'A < B' }));
    const fieldset = `<fieldset class=x>${choices}</fieldset>`;
    expect(relabelled(fieldset)).toBe(`<fieldset class=x><legend>A &lt; B</legend>${choices}</fieldset>`);
    expect(brief(relabelled(fieldset))).toEqual(['choice a "A < B"']);
    expect(relabelled(choices)).toBe(choices);
    const canBeLabelled = (html: string) => fieldsIn(html).map((field) => field.canBeLabelled);
    expect(canBeLabelled(fieldset)).toEqual([true]);
    expect(canBeLabelled(choices)).toEqual([false]);
    expect(canBeLabelled(`<fieldset>${choices}<input name=b></fieldset>`)).toEqual([false, true]);
  });

  it('change options, and keep those that stay as they are written', () => {
    const wanted = [
      { value: 'de', label: 'Germany' },
      { value: 'NL', label: 'Netherlands' },
      { value: '', label: 'France' },
    ];
    expect(changed(ROWS, (source) => changeField(source, FORM, { index: 1 }, { options: wanted }))).toBe(
      ROWS.replace(
        '<option>NL</option><option value="de">Germany</option>',
        '<option value="de">Germany</option><option>Netherlands</option><option>France</option>',
      ),
    );
    expect(changed(ROWS, (source) => changeField(source, FORM, { index: 1 }, { isRequired: true, options: [] }))).toBe(
      ROWS.replace('name="country"', 'name="country" required'),
    );
  });

  it.each([
    ['<select name=a>{first}<option>One</option><option>Two</option></select>', '<option value=""></option>'],
    [
      '<select name=a>\n  {first}<optgroup label=A><option>One</option></optgroup></select>',
      '<option value=""></option>\n  ',
    ],
    ['<select name=a><option value="">Choose</option>{first}<option>One</option></select>', ''],
    ['<select name=a>{first}<option>One</option><option selected>Two</option></select>', ''],
    ['<select name=a multiple>{first}<option>One</option></select>', ''],
    ['<select name=a size=3>{first}<option>One</option></select>', ''],
  ])('make visitors choose: %s', (html, first) => {
    const before = html.replace('{first}', '');
    const after = html.replace('{first}', first).replace(/^<select[^>]*/, '$& required');
    const options = fieldsIn(before)[0]?.options;
    expect(changed(before, (source) => changeField(source, FORM, { index: 0 }, { isRequired: true }))).toBe(after);
    expect(fieldsIn(after)[0]?.options).toEqual(options);
  });

  it('move a field with its label and its blanks, and back', () => {
    const moved = changed(ROWS, (source) => moveField(source, FORM, { index: 0 }, 1));
    expect(brief(moved)).toEqual(['choice country "Country"', 'text first "First name" *']);
    expect(changed(moved, (source) => moveField(source, FORM, { index: 1 }, 0))).toBe(ROWS);
  });

  it('remove a field with its label', () => {
    expect(changed(ROWS, (source) => removeField(source, FORM, { index: 0 }))).toBe(
      ROWS.slice(ROWS.indexOf('</div>') + '</div>'.length),
    );
    expect(
      changed('Name: <input name=a><br>Age: <input name=b><br><button>Go</button>', (source) =>
        removeField(source, FORM, { index: 1 }),
      ),
    ).toBe('Name: <input name=a><br><button>Go</button>');
  });
});
