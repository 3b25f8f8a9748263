import { describe, expect, it } from 'vitest';
import { answer, refused } from '../../support/answers.ts';
import { publishSite } from '../../support/publish-site.ts';
import { testService } from '../../support/test-service.ts';
import { zipFiles } from '../../support/zip-bytes.ts';

const service = await testService();
const owner = await service.owner();

const form = (label: string, name: string): string =>
  `<form method="post"><label>${label} <input name="${name}"></label><button>Send</button></form>`;
const publish = (files: Record<string, string>) => publishSite(owner, files);
const check = async (id: string) => (await owner.get(`/deploy/${id}/check`).expect(200)).body;

/** Problems as `file:line code`. */
const problemsOf = async (files: Record<string, string>): Promise<string[]> => {
  const { problems } = await check((await publish(files)).id);
  return problems.map(({ file, line, code }: Record<string, unknown>) => `${file}:${line} ${code}`);
};

describe('GET /deploy/:id/check of a site', () => {
  it('joins its HTML files, index.html first and then by path', async () => {
    const { id } = await publish({
      'index.html': '<html lang="en"><title>Home</title>\n<img src="/nothing.png"><img src="a.png">',
      'a.png': 'not read',
      'z.html': `<title>Other</title>${form('Name', 'name')}`,
      'about/index.html': `\n<img src="../a.png"><img src="a.png">${form('E-mail', 'email')}`,
    });
    const checked = await check(id);
    const missing = (name: string) => ({
      ...{ code: 'missing-file', severity: 'warning' },
      message: `The site has no file ${name}: add it, or correct the address. Capital and small letters differ.`,
    });
    const shown = (label: string, name: string) => ({
      ...{ action: null, method: 'post', enctype: 'application/x-www-form-urlencoded', submits_here: true },
      fields: [{ name, label, type: 'text', required: false, options: null }],
    });
    expect(checked).toEqual({
      ...{ title: 'Home', lang: 'en', forms: [shown('E-mail', 'email'), shown('Name', 'name')] },
      problems: [
        { ...missing('/nothing.png'), file: 'index.html', line: 2, column: 1 },
        { ...missing('a.png'), file: 'about/index.html', line: 2, column: 21 },
      ],
    });
  });

  it('misses a form only where no page has one', async () => {
    expect(await problemsOf({ 'index.html': 'a', 'b.html': 'b' })).toEqual(['index.html:1 no-form']);
    expect(await problemsOf({ 'index.html': 'a', 'b.html': form('Name', 'name') })).toEqual([]);
  });

  it('has at most 20 problems of each code, of all files together', async () => {
    const problems = await problemsOf({
      ...{ 'index.html': form('Name', 'name') + '<img src=x>'.repeat(15), 'b.html': '<img src=x>'.repeat(15) },
      'c.html': '<img src=http://cdn.example/x>',
    });
    const count = (place: string) => problems.filter((problem) => problem === place).length;
    expect([problems.length, count('index.html:1 missing-file'), count('b.html:1 missing-file')]).toEqual([21, 15, 5]);
    expect(problems.at(-1)).toBe('c.html:1 insecure-asset');
  });

  it('reads scripts of the site, behind its pages and by path', async () => {
    const goes = "fetch('https://formspree.io/f/a', { method: 'POST' })";
    const files = {
      ...{ 'index.html': '<script src="/js/b.mjs"></script>', 'js/b.mjs': `\n${goes}`, 'a.js': goes, 'c.txt': goes },
      'about.html': form('Name', 'name'),
      'data.js': 'fetch("{{ FORM_ACTION }}")',
    };
    expect(await problemsOf(files)).toEqual([
      'a.js:1 script-goes-elsewhere',
      'data.js:1 placeholder-misspelt',
      'js/b.mjs:2 script-goes-elsewhere',
    ]);
  });

  it('knows what the scripts of the site send, where the policy of a page blocks it', async () => {
    const policy = (sources: string) =>
      `<meta http-equiv="Content-Security-Policy" content="connect-src ${sources}"><script src="app.js"></script>`;
    const app = 'fetch("{{FORM_ACTION}}", { method: "POST", body: data })';
    const files = { 'index.html': policy("'self'"), 'app.js': app, 'b.html': policy(service.config.baseUrl) };
    expect(await problemsOf(files)).toEqual(['index.html:1 blocked-by-policy']);
  });

  it('names a text that is too large for its placeholder to be replaced', async () => {
    const large = `${'é'.repeat(service.config.maxHtmlBytes / 2)}\n\n é{{FORM_ACTION}} {{FORM_ACTION}}`;
    const { problems } = await check(
      (await publish({ 'index.html': form('Name', 'name'), 'b.css': large, 'c.bin': large, 'a.js': '{{FORM_ACTION}}' }))
        .id,
    );
    expect(problems).toEqual([
      {
        ...{ code: 'placeholder-misspelt', severity: 'error', file: 'b.css', line: 3, column: 3 },
        message: `Nothing replaces {{FORM_ACTION}} in this file, because it is larger than ${service.config.maxHtmlBytes} bytes: divide it into smaller files.`,
      },
    ]);
  });

  it('names a page that hides its origin, where the settings have allowed_origins', async () => {
    const hidden =
      '<meta name="referrer" content="no-referrer"><form method="post" action="{{FORM_ACTION}}"><button name="a">';
    const { id } = await publish({ 'index.html': hidden, 'b.txt': 'b' });
    expect((await check(id)).problems).toEqual([]);
    await owner
      .patch(`/deploy/${id}`)
      .send({ allowed_origins: ['https://a.example'] })
      .expect(200);
    expect((await check(id)).problems).toMatchObject([{ code: 'origin-hidden', file: 'index.html', line: 1 }]);
  });

  it('finds a captcha that is missing on any page, and its notice says where', async () => {
    const { id } = await publish({ 'index.html': form('Name', 'name'), 'über/a.html': `\n${form('E-mail', 'email')}` });
    const captcha = { provider: 'turnstile', secret: 'secret' };
    const { headers } = await owner.patch(`/deploy/${id}`).send({ spam: { captcha } }).expect(200);
    expect(headers['formhost-notice']).toMatch(/^Line 1 of index\.html, and 1 more, see GET \/deploy\/:id\/check: /);
    const { problems } = await check(id);
    const found = problems.map(({ file, code }: Record<string, unknown>) => [file, code]);
    expect(found).toEqual(['index.html', 'über/a.html'].map((file) => [file, 'captcha-missing']));
  });

  it('is a 404 after the deployment was deleted', async () => {
    const { id } = await publish({ 'index.html': 'a', 'b.html': 'b' });
    await owner.delete(`/deploy/${id}`).expect(200);
    await owner.get(`/deploy/${id}/check`).expect(404);
  });
});

describe('POST /check of a site', () => {
  const site = {
    'index.html': '<title>Home</title>\n<img src="logo.png"><script src="a.js"></script>',
    'sub/form.html': '\n<form method=post action="{{FROM_ACTION}}"><input name=a><button>Send</button></form>',
    'a.js': 'fetch("{{ FORM_ACTION }}", { method: "POST" })',
    'b.html': '<img src="sub/form.html">',
  };
  const { 'index.html': html, ...files } = site;
  const places = ({ body }: { body: { problems: Record<string, unknown>[] } }) =>
    body.problems.map(({ file, line, code }) => `${file}:${line} ${code}`);
  const FOUND = ['index.html:2 missing-file', 'sub/form.html:2 placeholder-misspelt', 'a.js:1 placeholder-misspelt'];

  it('finds in what is sent, in each form that publishes it, what it finds once it is live', async () => {
    const before = (await owner.get('/deploy')).body.total;
    const json = await owner.post('/check').send({ html, files }).expect(200);
    expect(places(json)).toEqual(FOUND);
    const zip = Buffer.from(zipFiles(site));
    const zipped = await owner.post('/check').type('application/zip').send(zip).expect(200);
    const upload = owner.post('/check');
    for (const [path, text] of Object.entries(site)) {
      // `filename` alone loses its folder.
      const name = { filename: path, filepath: path };
      upload.attach('file', Buffer.from(text), name);
    }
    const uploaded = await upload.expect(200);
    const live = await check((await publish(site)).id);
    expect([zipped.body, uploaded.body]).toEqual([json.body, json.body]);
    expect(live.problems).toEqual(json.body.problems);
    // The checks have published nothing.
    expect((await owner.get('/deploy')).body.total).toBe(before + 1);
  });

  it('refuses what could not be published', async () => {
    const large = { html, files: { 'a.html': 'a'.repeat(service.config.maxHtmlBytes + 1) } };
    expect(answer(await owner.post('/check').send(large))).toEqual(refused(413));
    expect(answer(await owner.post('/check').send({ html, files: { '../a': '' } }))).toEqual(refused(400));
    const zip = Buffer.from(zipFiles({ 'a.html': 'a' }));
    expect(answer(await owner.post('/check').type('application/zip').send(zip))).toEqual(refused(400));
  });
});

it('labels are read from all pages of a site, the first file that has a name decides', async () => {
  const { id } = await publish({
    ...{ 'index.html': form('Your name', 'name'), 'a.html': form('Name', 'name'), 'b/c.html': form('E-mail', 'mail') },
  });
  await service.anonymous.post(`/submit/${id}`).type('form').send({ name: 'Ada', mail: 'a@example.org' }).expect(200);
  const { text } = await owner.get(`/submissions/${id}/export.csv?labels=1`).expect(200);
  expect(text.split('\r\n')[0]).toBe('id,created_at,ip_address,Your name,E-mail');
});
