import { describe, expect, it } from 'vitest';
import { refused } from '../../support/answers.ts';
import { BASE_URL, testService } from '../../support/test-service.ts';

const MAX_HTML_BYTES = 200_000;

const service = await testService({ MAX_HTML_BYTES: String(MAX_HTML_BYTES) });
const owner = await service.owner();

const HTML =
  '<!doctype html><html lang="en"><title>Sale</title>\n<form method="post" action="{{FORM_ACTION}}"><label>E-mail <input name="email" required></label><button>Send</button></form>';
const FORM = {
  action: '{{FORM_ACTION}}',
  method: 'post',
  enctype: 'application/x-www-form-urlencoded',
  submits_here: true,
  fields: [{ name: 'email', label: 'E-mail', type: 'text', required: true, options: null }],
};
const CHECKED = { title: 'Sale', lang: 'en', forms: [FORM], problems: [] };

async function check(html: string, who = owner) {
  const { status, body } = await who.post('/check').send({ html });
  return { status, body };
}
const LEADS_TO_ANOTHER = {
  code: 'form-goes-elsewhere',
  severity: 'warning',
  message: 'The form sends to another page: write action="{{FORM_ACTION}}" if it belongs to this one.',
  line: 1,
  column: 1,
};

describe('POST /check', () => {
  it('answers what is on a page', async () => {
    expect(await check(HTML)).toEqual({ status: 200, body: CHECKED });
  });

  it('takes the page itself', async () => {
    expect(await owner.send('POST', '/check', HTML, { 'Content-Type': 'text/html' })).toEqual({
      status: 200,
      body: CHECKED,
    });
  });

  it('answers 422 for a page that takes the parser into endless work', async () => {
    const formatting = Array.from({ length: 3_000 }, (_, index) => `<b a=${index}>`).join('');
    expect(await check(`<p>${formatting}${'<p>x'.repeat(30_000)}`)).toEqual(refused(422));
    expect(await check(HTML)).toEqual({ status: 200, body: CHECKED });
  });
});

describe('GET /deploy/:id/check', () => {
  async function checkLive(id: string) {
    const { status, body } = await owner.get(`/deploy/${id}/check`);
    return { status, body };
  }

  it('answers what is on the live page', async () => {
    const { id } = await owner.deploy({ html: HTML });
    expect(await checkLive(id)).toEqual({ status: 200, body: CHECKED });
    await owner.put(`/deploy/${id}`).send({ html: '<title>None</title>' }).expect(200);
    expect((await checkLive(id)).body).toMatchObject({ title: 'None', forms: [], problems: [{ code: 'no-form' }] });
  });

  it('knows the address of the page and those of others', async () => {
    const [one, other] = [await owner.deploy(), await owner.deploy()];
    const post = (action: string): string =>
      `<form method="post" action="${action}"><input name="a"><button>Send</button></form>`;
    const problems = async (action: string) => {
      await owner.put(`/deploy/${one.id}`).send({ html: post(action) });
      return (await checkLive(one.id)).body.problems;
    };
    for (const action of ['{{FORM_ACTION}}', `${BASE_URL}/submit/${one.id}`, `${one.url}/`, '/']) {
      expect(await problems(action)).toEqual([]);
    }
    for (const action of [`${BASE_URL}/submit/${other.id}`, `${other.url}/`]) {
      expect(await problems(action)).toEqual([LEADS_TO_ANOTHER]);
      expect((await check(post(action))).body.problems).toEqual([]);
    }
  });
});
