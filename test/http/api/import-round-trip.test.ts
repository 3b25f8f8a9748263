import { describe, expect, it } from 'vitest';
import { testService } from '../../support/test-service.ts';

/* The export of a page can be imported into another page, which then exports the same but for the ids. */

const service = await testService();
const owner = await service.owner();

const field = (name: string, label: string): string => `<label>${label} <input name="${name}"></label>`;
const form = (attributes: string, fields: string): string =>
  `<form method="post" action="{{FORM_ACTION}}" ${attributes}>${fields}<button>Send</button></form>`;
const ONE = form('', field('name', 'Your name') + field('mail', '=E-mail') + field('created_at', 'Since when'));
const TWO =
  form('name="visit"', field('name', 'Your name') + field('form', 'Which one')) +
  form('id="stand"', field('name', 'Company') + field('size', 'Size'));

const TEXTS = [
  '{"name":"Ada","mail":"=1+1","created_at":"May"}',
  '{"name":"  Bea\\r\\n\\u0000\\ud83d\\ude00","mail":"\'+49 1","id":"mine","ip_address":"none"}',
  '{"name":["a","b"],"__proto__":"x","-":"-5","data.id":"y","others":"z","form":"stand","":"unnamed"}',
  '{"name":"[\\"a\\"]","mail":"{}","size":"1","Your name":"label"}',
  '{"name":"\\ufeff","mail":"a,b;c\\td","toString":"1"}',
  '{}',
];

async function exported(id: string, name: string): Promise<string> {
  const answered = await fetch(`${service.url}/submissions/${id}/${name}`, {
    headers: { Authorization: `Bearer ${owner.key}` },
  });
  expect(answered.status).toBe(200);
  return Buffer.from(await answered.arrayBuffer()).toString();
}
const withoutIds = (text: string): string => text.replaceAll(/sub_\w+/g, 'sub');

const typeOf = (name: string): string => (name.includes('ndjson') ? 'application/x-ndjson' : 'text/csv');

describe.each([
  ['one form', ONE],
  ['several forms', TWO],
])('the export of a page with %s', (_name, html) => {
  it.each(['export.ndjson', 'export.csv', 'export.csv?bom=1'])('as %s is the same after an import', async (name) => {
    const { id } = await owner.deploy({ html });
    for (const text of TEXTS) await service.submit(id, text);
    const { id: target } = await owner.deploy({ html });
    const before = await exported(id, name);
    const answered = await owner.send('POST', `/submissions/${target}/import`, before, {
      'Content-Type': typeOf(name),
    });
    expect(answered).toEqual({ status: 200, body: { imported: TEXTS.length, errors: [] } });
    expect(withoutIds(await exported(target, name))).toBe(withoutIds(before));
    const forms = async (of: string): Promise<unknown[]> =>
      (await owner.get(`/submissions/${of}/search?limit=100`).expect(200)).body.submissions.map(
        (one: { form: unknown }) => one.form,
      );
    expect(await forms(target)).toEqual(await forms(id));
  });
});
