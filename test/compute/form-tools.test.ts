import { describe, expect, it } from 'vitest';
import type { FormAdditions } from '../../src/compute/check/answer.ts';
import { addToForms, checkPage } from '../../src/compute/check/check-page.ts';
import { SIZES } from '../../src/sizes.ts';

const ADDRESSES = {
  baseUrl: 'https://forms.test',
  pagesDomain: 'pages.test',
  page: { url: 'https://sale.pages.test', action: 'https://forms.test/submit/d_0VbbZBZKKTcBD17YQfyDgVGm' },
};
const TOOLS = { addresses: ADDRESSES, tools: { leaveEmpty: 'Leave it empty.' } };

const bytesWith = (html: string | Buffer, additions: FormAdditions): Buffer =>
  Buffer.from(addToForms(Buffer.from(html), additions) ?? '');
const added = (html: string | Buffer): string => bytesWith(html, TOOLS).toString();
const HERE = 'method="post" action="{{FORM_ACTION}}"';

/** The names and descriptions of the tools of a page. */
const tools = (html: string) =>
  Array.from(added(html).matchAll(/toolname="([^"]*)"(?: tooldescription="([^"]*)")?/g), ([, name, text]) => [
    name,
    text,
  ]);

describe('a form that posts here', () => {
  it('becomes a tool, by its heading, the title and its labels', () => {
    const html = (form: string, name: string, message: string) =>
      `<title>Spring fair</title><h2>Write to us</h2><FORM${form} ${HERE}><label for="n">Your "name" &amp; title</label>` +
      `<input${name} id="n" name="name"><textarea${message} name="message" placeholder="Message"></textarea><button name="go">Send</button></FORM>`;
    expect(added(html('', '', ''))).toBe(
      html(
        ' toolname="write_to_us" tooldescription="Write to us – Spring fair"',
        ' toolparamdescription="Your &quot;name&quot; &amp; title"',
        ' toolparamdescription="Message"',
      ),
    );
  });

  it('describes several controls with one name at the first of them', () => {
    const choices = (first: string, single: string) =>
      `<form toolname="x" tooldescription="y" ${HERE}><fieldset><legend>Colour</legend><label><input${first} type="radio" name="c" value="r">Red</label>` +
      `<label><input type="radio" name="c" value="b">Blue</label></fieldset><label><input${single} type="checkbox" name="ok">I agree</label></form>`;
    expect(added(choices('', ''))).toBe(choices(' toolparamdescription="Colour"', ' toolparamdescription="I agree"'));
  });

  it('keeps the attributes that it has, and gets those that it lacks', () => {
    const html = `<form toolname="mine" ${HERE}><input name="a" aria-label="A" toolparamdescription="Own"></form>`;
    expect(added(html)).toBe(html.replace('<form', '<form tooldescription="mine"'));
    const whole = html.replace('<form', '<form tooldescription="It is mine"');
    expect(added(whole)).toBe(whole);
  });

  it('is no tool with an empty toolname, and gets nothing', () => {
    const html = `<h1>Contact</h1><form toolname="" ${HERE}><input name="a" aria-label="A"></form>`;
    expect(added(html)).toBe(html);
  });

  it('tells agents to leave the fields for robots empty, and says nothing of others that nobody sees', () => {
    const html = (trap: string) =>
      `<form toolname="x" tooldescription="y" ${HERE}><input${trap} name="_hp" aria-label="Robots" hidden><input${trap} name="_gotcha" style="display:none">` +
      `<div hidden><input name="a" aria-label="A"></div><input type="hidden" name="b" value="1"></form>`;
    expect(added(html(''))).toBe(html(' toolparamdescription="Leave it empty."'));
  });

  it.each([
    ['its id', `<form id="Sign-up Form" ${HERE}></form>`, 'sign_up_form'],
    ['its name', `<h1>Title</h1><form name="news" id="x" ${HERE}></form>`, 'news'],
    ['a heading with accents', `<h1>Façade été</h1><form ${HERE}></form>`, 'facade_ete'],
    ['the title', `<title>Fair 2027</title><form ${HERE}></form>`, 'fair_2027'],
    ['nothing', `<form ${HERE}></form>`, 'form'],
    ['a heading without Latin letters', `<h1>お問い合わせ</h1><form ${HERE}></form>`, 'form'],
    ['a long heading', `<h1>${'ab '.repeat(60)}</h1><form ${HERE}></form>`, 'ab_'.repeat(20).slice(0, -1)],
  ])('is called by %s', (_, html, name) => {
    expect(tools(html).map(([found]) => found)).toEqual([name]);
  });

  it('has a name that no other tool of the page has', () => {
    const form = `<form ${HERE}></form>`;
    expect(tools(`<h1>News</h1>${form}${form}<form toolname="news_2" ${HERE}></form>`)).toEqual([
      ['news', 'News'],
      ['news_3', 'News'],
      ['news_2', undefined],
    ]);
  });
});

it.each([
  ['that posts elsewhere', '<h1>A</h1><form method="post" action="https://example.org"><input name="a"></form>'],
  ['of a search', `<h1>A</h1><form role="search" ${HERE}><input name="a" aria-label="A"></form>`],
  ['of the method get', '<h1>A</h1><form><input name="a" aria-label="A"></form>'],
  ['in a template', `<h1>A</h1><template><form ${HERE}><input name="a" aria-label="A"></form></template>`],
])('a form %s stays as it is', (_, html) => {
  expect(added(html)).toBe(html);
});

it('a page that is no UTF-8 stays as it is', () => {
  const html = Buffer.from(`<h1>\xe9</h1><form ${HERE}></form>`, 'latin1');
  expect(bytesWith(html, TOOLS).equals(Buffer.from(html.toString('utf8')))).toBe(true);
});

it('the attributes of a page are bounded, however often a label is repeated', () => {
  const label = 'x'.repeat(SIZES.check.maxTextChars);
  const html = `<form ${HERE}><p id="l">${label}</p>${'<input name="a" aria-labelledby="l">'.repeat(5_000)}</form>`;
  const more = added(html).length - html.length;
  expect(more).toBeGreaterThan(SIZES.check.maxToolChars - 2 * label.length);
  expect(more).toBeLessThanOrEqual(SIZES.check.maxToolChars);
});

it("ALTCHA's widget and the attributes come together", () => {
  const page = { ...TOOLS, widget: { element: '[W]', script: '[S]' } };
  expect(bytesWith(`<h1>A</h1><form ${HERE}><button>Go</button></form>`, page).toString()).toBe(
    `<h1>A</h1><form toolname="a" tooldescription="A" ${HERE}>[S][W]<button>Go</button></form>`,
  );
});

it('a check counts the forms that are no tools', () => {
  const form = `<form ${HERE}></form>`;
  const html = `<p>\r\n\n${form}<form toolname="" ${HERE}></form><form></form>\n${form}`;
  expect(checkPage({ html: Buffer.from(html), addresses: ADDRESSES, maxFields: 50 })?.toolless).toEqual({
    count: 2,
    line: 3,
  });
});
