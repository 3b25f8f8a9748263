import { describe, expect, it, onTestFinished } from 'vitest';
import { createCompute } from '../../../src/compute/create-compute.ts';
import { createOpenSiteFile } from '../../../src/db/deployments/site-file-queries.ts';
import { labelsOf } from '../../../src/forms/forms-of-page.ts';
import { Hosts } from '../../../src/http/request/hosts.ts';
import { readPageForms } from '../../../src/submissions/read-page-forms.ts';
import { publishSite } from '../../support/publish-site.ts';
import { noDomains } from '../../support/test-app.ts';
import { testLimits } from '../../support/test-limits.ts';
import { testService } from '../../support/test-service.ts';

/* One check has a short time of the processor, after which others have their turn. */

const service = await testService({}, undefined, { limits: { compute: { checkCpuTimeoutMs: 400 } } });
const owner = await service.owner();
const other = await service.owner();

/** A page on which the parser works for many times as long. */
const HEAVY = '<i>'.repeat(650_000);
const FORM = '<form method="post"><label>Your name <input name="name"></label><button>Send</button></form>';

const tooComplex = (file: string) => ({
  error: `${file} is too complex to be checked: close each element before the one that it is in, or send a part of it.`,
});

describe('a page that takes too long to be checked', () => {
  it('is a 422, and pages of others are checked', async () => {
    const heavy = [owner.post('/check').send({ html: HEAVY }), owner.post('/check').send({ html: HEAVY })];
    const answers = heavy.map((request) => request.expect(422, tooComplex('The page')));
    const { body } = await other.post('/check').send({ html: FORM }).expect(200);
    expect(body.problems).toEqual([]);
    await Promise.all(answers);
  });

  it('is named where it is a file of a site', async () => {
    const { id } = await publishSite(owner, { 'index.html': FORM, 'a.html': FORM, 'deep/b.html': HEAVY });
    await owner.get(`/deploy/${id}/check`).expect(422, tooComplex('The file "deep/b.html"'));
  });

  it('has no labels, and is not read for them again', async () => {
    const { id } = await owner.deploy({ html: FORM + HEAVY });
    await service.anonymous.post(`/submit/${id}`).type('form').send({ name: 'Ada' }).expect(200);
    const { text } = await owner.get(`/submissions/${id}/export.csv?labels=1`).expect(200);
    expect(text.split('\r\n')[0]).toBe('id,created_at,ip_address,name');
    expect(await service.db('pages').where({ deployment_id: id }).first('forms')).toEqual({ forms: '[]' });
  });
});

describe('ALTCHA’s widget, where the page takes too long to be given it', () => {
  const notice = /^The page is too complex for ALTCHA's widget to be added to its forms, .* spam folder: /;
  const altcha = { spam: { captcha: { provider: 'altcha' } } };

  it('is missed by a header when the settings ask for it', async () => {
    const { id } = await owner.deploy({ html: FORM + HEAVY });
    const { headers } = await owner.patch(`/deploy/${id}`).send(altcha).expect(200);
    expect(headers['formhost-notice']).toMatch(notice);
  });

  it('is missed by a header when the page is published, also as a file, by edits and as an earlier version', async () => {
    const { id } = await owner.deploy({ html: `${FORM}${HEAVY}<p>A</p>` });
    await owner.put(`/deploy/${id}`).send({ html: FORM }).expect(200);
    const settings = await owner.patch(`/deploy/${id}`).send(altcha).expect(200);
    const light = await owner.put(`/deploy/${id}`).send({ html: FORM }).expect(200);
    const requests = [
      owner.put(`/deploy/${id}`).send({ html: FORM + HEAVY }),
      owner.put(`/deploy/${id}/files/index.html`).type('application/octet-stream').send(`${FORM}${HEAVY}<p>B</p>`),
      owner.patch(`/deploy/${id}/html`).send({ edits: [{ find: '<p>B</p>', replace: '<p>C</p>' }] }),
      owner.post(`/deploy/${id}/versions/1/restore`),
    ];
    const said: (string | undefined)[] = [];
    for (const request of requests) said.push((await request.expect(200)).headers['formhost-notice']);
    expect(said).toEqual(requests.map(() => expect.stringMatching(notice)));
    const own = `${FORM.replace('</form>', '<altcha-widget></altcha-widget></form>')}${HEAVY}`;
    const withOwn = await owner.put(`/deploy/${id}`).send({ html: own }).expect(200);
    const answers = [settings, light, withOwn].map(({ headers }) => headers['formhost-notice']);
    expect(answers).toEqual([undefined, undefined, undefined]);
  });
});

it('labels do not wait for checks', async () => {
  const { id } = await owner.deploy({ html: FORM });
  const { db, config } = service;
  const openSiteFile = createOpenSiteFile(db, () => Promise.reject(new Error('There is no bucket.')), testLimits());
  const threads = createCompute(config, testLimits());
  onTestFinished(async () => void (await threads.close()));
  const hosts = new Hosts(config, noDomains);
  const sources = { db, limits: testLimits(), formThread: threads.forms, openSiteFile, hosts };
  const isRead = Promise.withResolvers<void>();
  const check = threads.checks.run(1, 1, () => isRead.promise);
  expect([...labelsOf(await readPageForms(sources, id))]).toEqual([['name', 'Your name']]);
  isRead.resolve();
  await check;
});
