import { parse } from 'csv-parse/sync';
import { afterAll, describe, expect, it } from 'vitest';
import { ComputePool } from '../../../src/compute/pool.ts';
import { createOpenSiteFile } from '../../../src/db/deployments/site-file-queries.ts';
import { labelsOf } from '../../../src/forms/forms-of-page.ts';
import { Hosts } from '../../../src/http/request/hosts.ts';
import { readPageForms } from '../../../src/submissions/read-page-forms.ts';
import { answer, failure } from '../../support/answers.ts';
import { publishSite } from '../../support/publish-site.ts';
import { noDomains } from '../../support/test-app.ts';
import { testLimits } from '../../support/test-limits.ts';
import { testService, UNKNOWN_ID } from '../../support/test-service.ts';

const service = await testService();
const owner = await service.owner();
const checks = new ComputePool({ maxHtmlBytes: 0 }, testLimits());
afterAll(() => checks.close());

const page = (label: string): string =>
  `<form method="post" action="{{FORM_ACTION}}"><label>${label} <input name="name"></label><button>Send</button></form>`;

/** Labels as a process has them, and how many pages it has read. `afterCheck` is done before each has its labels. */
function startReader(afterCheck = async (): Promise<void> => undefined) {
  const counts = { pages: 0 };
  const parts: Parameters<typeof readPageForms>[0] = {
    limits: testLimits(),
    db: service.db,
    openSiteFile: createOpenSiteFile(service.db, () => Promise.reject(new Error('There is no bucket.')), testLimits()),
    formThread: {
      run(owned, maxWaitMs, work) {
        counts.pages += 1;
        return checks.run(owned, maxWaitMs, async (thread) => {
          const result = await work(thread);
          await afterCheck();
          return result;
        });
      },
    },
    hosts: new Hosts(service.config, noDomains),
  };
  return {
    counts,
    labelsOf: async (id: string) => Object.fromEntries(labelsOf(await readPageForms(parts, id))),
  };
}

const stored = (id: string) =>
  service.db('pages').where({ deployment_id: id }).first('version', 'forms', 'forms_version');
/** The forms of `page`, as they are stored. */
const storedForms = (label: string): string =>
  JSON.stringify([
    {
      kind: 'own',
      name: null,
      honeypot: null,
      fields: [{ name: 'name', type: 'text', label, isShown: true, values: null }],
    },
  ]);

describe('labels', () => {
  it('are read from each version of a page once, when they are needed, by all processes together', async () => {
    const { id } = await owner.deploy({ html: page('Your name') });
    const [one, other] = [startReader(), startReader()];
    await service.anonymous.post(`/submit/${id}`).type('form').send({ name: 'Ada' }).expect(200);
    expect(await stored(id)).toEqual({ version: 1, forms: null, forms_version: null });
    expect(await one.labelsOf(id)).toEqual({ name: 'Your name' });
    expect(await stored(id)).toEqual({ version: 1, forms: storedForms('Your name'), forms_version: 1 });
    expect([await other.labelsOf(id), await one.labelsOf(id)]).toEqual([{ name: 'Your name' }, { name: 'Your name' }]);
    await owner
      .put(`/deploy/${id}`)
      .send({ html: page('Name') })
      .expect(200);
    expect(await other.labelsOf(id)).toEqual({ name: 'Name' });
    expect(await stored(id)).toEqual({ version: 2, forms: storedForms('Name'), forms_version: 2 });
    expect([await one.labelsOf(id), one.counts.pages, other.counts.pages]).toEqual([{ name: 'Name' }, 1, 1]);
  });

  it('of a version that is replaced while they are read are not kept as those of the next', async () => {
    const { id } = await owner.deploy({ html: page('First') });
    const begun = Promise.withResolvers<void>();
    const replaced = Promise.withResolvers<void>();
    const reader = startReader(() => {
      begun.resolve();
      return replaced.promise;
    });
    const reading = reader.labelsOf(id);
    await begun.promise;
    await owner
      .put(`/deploy/${id}`)
      .send({ html: page('Second') })
      .expect(200);
    replaced.resolve();
    expect(await reading).toEqual({ name: 'First' });
    expect(await stored(id)).toEqual({ version: 2, forms: null, forms_version: null });
    expect(await startReader().labelsOf(id)).toEqual({ name: 'Second' });
  });

  it('of a page that is too complex are none, and the page is not read again', async () => {
    const formatting = Array.from({ length: 3_000 }, (_, index) => `<b a=${index}>`).join('');
    const { id } = await owner.deploy({ html: `<p>${formatting}${'<p>x'.repeat(5_000)}` });
    const reader = startReader();
    expect([await reader.labelsOf(id), await reader.labelsOf(id), reader.counts.pages]).toEqual([{}, {}, 1]);
  });

  it('are none where there is no such deployment', async () => {
    expect(await startReader().labelsOf(UNKNOWN_ID)).toEqual({});
  });
});

describe('forms that are told apart', () => {
  const two = (name: string) =>
    `<form name="${name}" method="post"><input name="a"></form><form id="b" method="post"></form>`;
  const readNames = async (id: string) => {
    const { version, forms, forms_version } = (await stored(id)) ?? {};
    return {
      isRead: forms_version === version,
      names: JSON.parse(forms ?? '[]').map((form: { name: string }) => form.name),
    };
  };

  it('are read when they are published, changed and restored', async () => {
    const { id } = await owner.deploy({ html: two('first') });
    expect(await readNames(id)).toEqual({ isRead: true, names: ['first', 'b'] });
    await owner
      .put(`/deploy/${id}`)
      .send({ html: two('second') })
      .expect(200);
    expect(await readNames(id)).toEqual({ isRead: true, names: ['second', 'b'] });
    await owner.post(`/deploy/${id}/versions/1/restore`).expect(200);
    expect(await readNames(id)).toEqual({ isRead: true, names: ['first', 'b'] });
  });

  it('are those of all HTML files of a site, also where one is changed alone; one that several have is there once', async () => {
    const { id } = await publishSite(owner, { 'index.html': two('start'), 'more/about.html': two('about') });
    expect(await readNames(id)).toEqual({ isRead: true, names: ['start', 'b', 'about'] });
    await owner
      .put(`/deploy/${id}/files/more/about.html`)
      .type('html')
      .send('<form name="c" method="post"></form>')
      .expect(200);
    expect(await readNames(id)).toEqual({ isRead: true, names: ['start', 'b', 'c'] });
  });

  it('are not read, when they are published, of a page with one', async () => {
    const { id } = await owner.deploy({ html: page('Your name') });
    expect(await readNames(id)).toEqual({ isRead: false, names: [] });
    expect(await service.db('form_rules').where({ deployment_id: id })).toEqual([]);
  });
});

describe('an export with labels=1', () => {
  const submit = (id: string, fields: Record<string, string>) =>
    service.anonymous.post(`/submit/${id}`).type('form').send(fields).expect(200);
  const csvHeader = async (id: string, query: string): Promise<string[] | undefined> => {
    const { text } = await owner.get(`/submissions/${id}/export.csv${query}`).expect(200);
    const [header]: string[][] = parse(text, { relaxColumnCount: true });
    return header?.slice(3);
  };

  it('has the labels of the live page as its header row, and names without the parameter', async () => {
    const { id } = await owner.deploy({
      html: '<form method="post"><label>Your name <input name="name"></label><label>Say, "what"? <input name="text"></label><input name="id" placeholder="Number"></form>',
    });
    await submit(id, { name: 'Ada', text: 'Hello', more: '1', id: '7' });
    expect(await csvHeader(id, '')).toEqual(['name', 'text', 'more', 'data.id']);
    expect(await csvHeader(id, '?labels=1')).toEqual(['Your name', 'Say, "what"?', 'more', 'Number']);
    const { text } = await owner.get(`/submissions/${id}/export.csv?labels=1`);
    expect(text.split('\r\n')[0]).toBe('id,created_at,ip_address,Your name,"Say, ""what""?",more,Number');
    expect(text.split('\r\n')[1]).toMatch(/,Ada,Hello,1,7$/);
    await owner
      .put(`/deploy/${id}`)
      .send({ html: page('Name') })
      .expect(200);
    expect(await csvHeader(id, '?labels=1')).toEqual(['Name', 'text', 'more', 'data.id']);
  });

  it('keeps columns with the same label apart, also from names and from columns of ours', async () => {
    const { id } = await owner.deploy({
      html: `<form method="post">${[
        ['first', 'E-mail'],
        ['second', 'E-mail'],
        ['third', 'id'],
        ['fourth', 'other'],
        ['fifth', 'E-mail (first)'],
        ['same', 'same'],
      ]
        .map(([name, label]) => `<input name="${name}" aria-label="${label}">`)
        .join('')}</form>`,
    });
    await submit(id, { first: '1', second: '2', third: '3', fourth: '4', other: '5', fifth: '6', same: '7' });
    const header = await csvHeader(id, '?labels=1');
    expect(header).toEqual([
      ...['E-mail (first)', 'E-mail (second)', 'id (third)', 'other (fourth)', 'other', 'E-mail (first) (fifth)'],
      'same',
    ]);
    expect(new Set(header).size).toBe(header?.length);
  });

  it('writes no formula', async () => {
    const { id } = await owner.deploy({ html: '<form method="post"><input name="a" aria-label="=1+1"></form>' });
    await submit(id, { a: '1' });
    expect(await csvHeader(id, '?labels=1')).toEqual(["'=1+1"]);
  });

  it.each(['0', ''])('answers 400 for labels=%s', async (value) => {
    const { id } = await owner.deploy();
    for (const extension of ['csv', 'xlsx']) {
      const response = await owner.get(`/submissions/${id}/export.${extension}?labels=${value}`);
      expect(answer(response)).toEqual({ status: 400, body: failure });
    }
  });
});
