import { describe, expect, it } from 'vitest';
import { refused } from '../../support/answers.ts';
import { BASE_URL, getPage, testService } from '../../support/service.ts';

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
/** The parser takes seconds of a processor for it. */
const SLOW_HTML = '<div>'.repeat(MAX_HTML_BYTES / 5);

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

  it('refuses what POST /deploy refuses, in the same way', async () => {
    const bodies: [body: string | Buffer, headers?: Record<string, string>][] = [
      ['{}'],
      ['{"html":"\\ud800"}'],
      [JSON.stringify({ html: 'x'.repeat(MAX_HTML_BYTES + 1) })],
      [Buffer.from([0xff]), { 'Content-Type': 'text/html' }],
      ['x'.repeat(MAX_HTML_BYTES + 1), { 'Content-Type': 'text/html' }],
    ];
    for (const [body, headers] of bodies) {
      const [checked, deployed] = [
        await owner.send('POST', '/check', body, headers),
        await owner.send('POST', '/deploy', body, headers),
      ];
      expect(checked).toEqual(deployed);
      expect(checked.status).toBeGreaterThanOrEqual(400);
    }
  });

  it('answers 422 for a page that takes the parser into endless work', async () => {
    const formatting = Array.from({ length: 3_000 }, (_, index) => `<b a=${index}>`).join('');
    expect(await check(`<p>${formatting}${'<p>x'.repeat(30_000)}`)).toEqual(refused(422));
    expect(await check(HTML)).toEqual({ status: 200, body: CHECKED });
  });

  it('is done in turn: many checks of one key hold up neither another key nor pages', async () => {
    const stranger = await service.owner();
    const { slug } = await stranger.deploy({ html: `${HTML}${' '.repeat(100_000)}` });
    const isDone = { value: false };
    const flood = Promise.all(Array.from({ length: 4 }, () => check(SLOW_HTML))).then((answers) => {
      isDone.value = true;
      return answers;
    });
    const [page, checked] = await Promise.all([getPage(service.url, slug), check(HTML, stranger)]);
    expect([page.status, checked, isDone.value]).toEqual([200, { status: 200, body: CHECKED }, false]);
    const statuses = (await flood).map(({ status }) => status);
    // Those that wait too long are told so.
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses).toContain(200);
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

  it('accepts a field on the page that is sent as it says', async () => {
    const { id, slug } = await owner.deploy({ html: HTML });
    const { body } = await checkLive(id);
    const [form] = body.forms;
    const page = (await getPage(service.url, slug)).text;
    const action = /action="([^"]*)"/.exec(page)?.[1] ?? '';
    const sent = Object.fromEntries(form.fields.map(({ name }: { name: string }) => [name, 'x@example.org']));
    await service.anonymous.post(new URL(action).pathname).type('form').send(sent).expect(200);
    expect((await owner.get(`/submissions/${id}`)).body.submissions[0].data).toEqual(sent);
  });
});
