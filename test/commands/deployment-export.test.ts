import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeDown } from '../../src/db/deployments/take-down-queries.ts';
import { newSubmissionId } from '../../src/lib/ids.ts';
import { operatorOf, printed, refusedFor } from '../support/run-command.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { storeTexts } from '../support/stored-submissions.ts';
import { testService, UNKNOWN_ID } from '../support/test-service.ts';

const service = await testService();
const run = operatorOf(service, 'deployments');
const owner = await service.owner({ email: 'ada@command.example' });

const print = (...args: string[]): Promise<string> => printed(run(...args));

const remove = async (id: string): Promise<void> => void (await owner.delete(`/deploy/${id}`).expect(200));

describe('deployments export', () => {
  const TEXTS = ['{"a": 1.10, "a":"\\u0000", "b":12345678901234567890}', '{"10":1,\r\n"2":"\\n",\n"ü":"😀"}', '{}'];
  const WRITTEN = [TEXTS[0], '{"10":1,"2":"\\n","ü":"😀"}', '{}'];

  /** The lines of an export, without ids and times. */
  const lines = ({ id, slug, settings }: { id: string; slug: string; settings: string }, more: object) => [
    JSON.stringify({
      deployment: {
        id,
        slug,
        owner: 'ada@command.example',
        status: 'active',
        email_notifications: false,
        submission_count: 3,
        created_at: 'TIME',
        updated_at: 'TIME',
        deleted_at: null,
        taken_down_at: null,
        take_down_reason: null,
        ...more,
      },
    }),
    `{"settings":${settings}}`,
    JSON.stringify({ html: '\uFEFF<p>{{FORM_ACTION}}\n\u0000' }),
    '{"webhook":{"id":"ID","url":"https://e.example/","type":"slack","format":null,"chat_id":null,"headers":["X-Key"],"events":["submission"],"active":true,"created_at":"TIME"}}',
    '{"domain":{"domain":"forms.example","status":"pending","created_at":"TIME"}}',
    ...WRITTEN.map((data) => `{"submission":{"id":"ID","data":${data},"ip_address":"192.0.2.1","created_at":"TIME"}}`),
    `{"spam":{"id":"ID","data":${WRITTEN[1]},"ip_address":"192.0.2.1","created_at":"TIME","reason":"blocklist"}}`,
    `{"trashed":{"id":"ID","data":${WRITTEN[0]},"ip_address":"192.0.2.1","created_at":"TIME","deleted_at":"TIME"}}`,
    '',
  ];
  const masked = (text: string): string[] =>
    text
      .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"')
      .replaceAll(/"(?:sub|wh)_\w+"/g, '"ID"')
      .split('\n');

  async function deployWhole() {
    const deployment = await owner.deploy({ html: '\uFEFF<p>{{FORM_ACTION}}\n\u0000' });
    await owner
      .post(`/webhooks/${deployment.id}`)
      .send({ url: 'https://e.example/', type: 'slack', headers: { 'X-Key': 'hidden' } })
      .expect(201);
    await owner.post(`/deploy/${deployment.id}/domains`).send({ domain: 'forms.example' }).expect(201);
    await storeTexts(service.db, deployment.id, TEXTS);
    await service.db('spam_submissions').insert({
      ...{ deployment_id: deployment.id, id: newSubmissionId(), data: TEXTS[1], ip_address: '192.0.2.1' },
      ...{ created_at: new Date(), kept_at: new Date(), reason: 'blocklist' },
    });
    await service.db('trashed_submissions').insert({
      ...{ deployment_id: deployment.id, number: 4, id: newSubmissionId(), data: TEXTS[0], ip_address: '192.0.2.1' },
      ...{ created_at: new Date(), read: true, starred: false, note: '', status: 'open', deleted_at: new Date() },
    });
    const { text: settings } = await owner.get(`/deploy/${deployment.id}/settings`).expect(200);
    return { ...deployment, settings };
  }

  it('prints everything, a JSON object a line, what was submitted exactly as it was, and no secret', async () => {
    const deployment = await deployWhole();
    const { id } = deployment;
    const text = await print('export', id);
    expect(masked(text)).toEqual(lines(deployment, {}));
    for (const line of text.trimEnd().split('\n')) JSON.parse(line);
    expect(text).not.toContain('whsec_');
    const { body } = await owner.get('/audit?limit=1').expect(200);
    expect(body.entries).toMatchObject([
      { actor: 'operator', via: 'command', action: 'submission.export', target: id, ip_address: null },
    ]);
  });

  it('has the files of a site', async () => {
    const files = { 'a.css': 'body {}', 'b/empty': '' };
    const { body } = await owner.post('/deploy').send({ html: '<p>', files }).expect(201);
    const all = (await print('export', body.id)).trimEnd().split('\n');
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(all.slice(2).map((line) => JSON.parse(line))).toEqual([
      { html: '<p>' },
      { site_file: { path: 'a.css', sha256: sha256('body {}'), bytes: 7 } },
      { site_file_piece: { path: 'a.css', position: 0, base64: 'Ym9keSB7fQ==' } },
      { site_file: { path: 'b/empty', sha256: sha256(''), bytes: 0 } },
    ]);
  });

  it('has neither tests nor their files', async () => {
    const { id } = await owner.deploy();
    const { body } = await owner.put(`/deploy/${id}?preview=1`).send({ html: '<form></form>' }).expect(200);
    const [label] = new URL(body.preview_url).host.split('.');
    await service.anonymous.post(`/submit/${label}`).attach('photo', Buffer.from('x'), 'x.png').expect(200);
    expect(await service.db('submission_files').where({ deployment_id: id })).toHaveLength(1);
    const all = (await print('export', id)).trimEnd().split('\n');
    expect(all.flatMap((line) => Object.keys(JSON.parse(line)))).toEqual(['deployment', 'settings', 'html']);
  });

  it('has what a deletion and a take-down kept, and writes to a file that was not there, for nobody else', async () => {
    const deployment = await deployWhole();
    const { id, slug } = deployment;
    await takeDown(service.db, id, 'because "x"');
    await remove(id);
    const folder = await emptyFolder();
    const file = join(folder, 'export.ndjson');
    expect(await print('export', id, file)).toBe(`exported ${id} (${slug}) to ${file}\n`);
    expect(masked(await readFile(file, 'utf8'))).toEqual(
      lines(deployment, {
        status: 'deleted',
        deleted_at: 'TIME',
        taken_down_at: 'TIME',
        take_down_reason: 'because "x"',
      }),
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    await writeFile(file, 'kept');
    const nowhere = join(folder, 'nowhere', 'file');
    expect(await Promise.all([run('export', id, file), run('export', id, nowhere), run('export', UNKNOWN_ID)])).toEqual(
      [refusedFor(file, 'already'), refusedFor(nowhere, 'cannot be written'), refusedFor('no deployment', UNKNOWN_ID)],
    );
    expect(await readFile(file, 'utf8')).toBe('kept');
  });

  it("has the files of a deletion's submissions, in pieces that make them whole", async () => {
    const { id } = await owner.deploy();
    const photo = Buffer.from(Array.from({ length: 600_000 }, (_, index) => index % 251));
    const { body } = await service.anonymous
      .post(`/submit/${id}`)
      .attach('photo', photo, { filename: 'ä "1".png', contentType: 'image/png' })
      .attach('nothing', Buffer.alloc(0), 'empty.txt')
      .expect(200);
    await remove(id);
    const objects = (await print('export', id))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    // Files of one moment come in any order.
    const files = objects.flatMap(({ file }) => file ?? []).toSorted((a, b) => a.size - b.size);
    const common = { id: expect.stringMatching(/^file_/), submission_id: body.id };
    expect(files).toEqual([
      { ...common, filename: 'empty.txt', content_type: 'text/plain', size: 0 },
      { ...common, filename: 'ä "1".png', content_type: 'image/png', size: 600_000 },
    ]);
    const pieces = objects.flatMap(({ file_piece }) => file_piece ?? []);
    const read = files.map((file) =>
      Buffer.concat(
        pieces.filter(({ file_id }) => file_id === file.id).map(({ base64 }) => Buffer.from(base64, 'base64')),
      ),
    );
    expect(read).toEqual([Buffer.alloc(0), photo]);
  });
});
