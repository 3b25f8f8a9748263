import { describe, expect, it, vi } from 'vitest';
import { createLinks } from '../../../src/db/account/link-secret.ts';
import { restore, takeDown } from '../../../src/db/deployments/take-down-queries.ts';
import type { LinkedFile } from '../../../src/lib/signed-links.ts';
import { fixedHeaders } from '../../support/answers.ts';
import { multipartBody } from '../../support/multipart-body.ts';
import { headerOf, readMail, testSmtpServer } from '../../support/smtp.ts';
import { BASE_URL, testService } from '../../support/test-service.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const PATIENCE = { timeout: 60_000 };

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url });
const owner = await service.owner();
/** Makes links as the service does, with any expiry. */
const links = await createLinks(service.db, '')();

const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

/** A page whose owner gets mail. */
async function deploy(): Promise<{ id: string; slug: string }> {
  const page = await owner.deploy();
  await owner.change(page.id, { email_notifications: true });
  return page;
}

/** Sends a form with a file, and answers with what the file is. */
async function submit(
  deploymentId: string,
  content: Buffer | string,
  parameters = 'filename="cv.txt"',
): Promise<LinkedFile> {
  const response = await fetch(`${service.url}/submit/${deploymentId}`, {
    method: 'POST',
    body: new Uint8Array(multipartBody([`name="cv"; ${parameters}`, content])),
    headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
  });
  expect(response.status).toBe(200);
  const { id: submissionId } = JSON.parse(await response.text());
  const { body } = await owner.get(`/submissions/${deploymentId}/${submissionId}`);
  return { deploymentId, submissionId, fileId: /file_\w+/.exec(body.data.cv.url)?.[0] ?? '' };
}

/** Both parts of the one mail about a page. */
const mailOf = (slug: string) =>
  vi.waitFor(() => {
    const mails = smtp.received.map(({ raw }) => readMail(raw));
    const [mail] = mails.filter(({ headers }) => headerOf(headers, 'Subject').endsWith(` ${slug}`));
    if (!mail) throw new Error(`There is no mail about ${slug}`);
    return mail;
  }, PATIENCE);

/** The answer to a browser, which has no key. */
async function open(path: string, { method = 'GET', url = service.url } = {}) {
  const response = await fetch(url + path, { method });
  const content = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: fixedHeaders(response), content };
}

const pageHeaders = (status: number, length: number) => ({
  'error-code': status === 410 ? 'file-link-expired' : 'no-such-file-link',
  'cache-control': 'no-store',
  'content-length': String(length),
  'content-security-policy': expect.stringMatching(
    /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'none'; base-uri 'none'$/,
  ),
  'content-type': 'text/html; charset=utf-8',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  vary: 'Accept',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
});

async function expectPage(path: string, status: number, text: string): Promise<void> {
  const { headers, content, ...page } = await open(path);
  expect([path, page, headers]).toEqual([path, { status }, pageHeaders(status, content.length)]);
  const html = content.toString();
  expect(html).toContain('<h1>This link cannot be opened</h1>');
  expect(html).toContain(`<p>${text}</p>`);
}
const WRONG = 'Check that the link is complete. If it is, the file has been deleted, or its page taken down.';
const EXPIRED =
  'This link has expired: a link to a file works for 7 days. The owner of the page can still get the file with an API key.';

describe('the link to a file in a mail', () => {
  it('opens in a browser without a key, from both parts of the mail', async () => {
    const { id, slug } = await deploy();
    await submit(id, '<script>1</script>', 'filename="a b.html"\r\nContent-Type: text/html');
    const { parts } = await mailOf(slug);
    const [text = '', html = ''] = parts.map((part) => part.text);
    const [, url = ''] = /^cv: a b\.html \(18 bytes\)\n {4}(\S+)$/m.exec(text) ?? [];
    expect(url).toMatch(
      new RegExp(`^${BASE_URL}/files/${id}/sub_\\w+/file_\\w+\\?expires=\\d{10}&signature=[\\w-]{43}$`),
    );
    expect(html).toContain(`<a dir="auto" href="${url.replace('&', '&amp;')}">a b.html</a> (18 bytes)`);
    const expected = {
      status: 200,
      headers: {
        'cache-control': 'private, no-store',
        'content-disposition': 'attachment; filename="a b.html"',
        'content-length': '18',
        'content-security-policy': "sandbox; default-src 'none'",
        'content-type': 'text/html',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      },
      content: Buffer.from('<script>1</script>'),
    };
    const path = url.slice(BASE_URL.length);
    expect(await open(path)).toEqual(expected);
    expect(await open(path, { method: 'HEAD' })).toEqual({ ...expected, content: Buffer.alloc(0) });
    const expires = Number(/expires=(\d+)/.exec(url)?.[1]) * 1_000;
    expect(expires - inDays(7).getTime()).toSatisfy((ms: number) => ms > -60_000 && ms <= 60_000);
  });

  it('opens nothing of a page that is taken down, or whose owner is suspended; the owner reads files of the first', async () => {
    const { id } = await owner.deploy();
    const file = await submit(id, 'Ada');
    const path = links.file(file, inDays(7));
    await takeDown(service.db, id, 'malware');
    await expectPage(path, 404, WRONG);
    await owner.get(`/submissions/${id}/${file.submissionId}/files/${file.fileId}`).expect(200);
    await restore(service.db, id);
    expect((await open(path)).status).toBe(200);
    await service.db('deployments').where({ id }).update({ suspended: true });
    await expectPage(path, 404, WRONG);
  });

  it('is a page that says so once it has expired', async () => {
    const { id } = await owner.deploy();
    const file = await submit(id, 'Ada');
    const path = links.file(file, new Date(Date.now() - 1_000));
    await expectPage(path, 410, EXPIRED);
    const { status, content } = await open(path, { method: 'HEAD' });
    expect([status, content.length]).toEqual([410, 0]);
  });

  it('is the same page for each link that was changed, of an expired file too', async () => {
    const { id } = await owner.deploy();
    const file = await submit(id, 'Ada');
    const stranger = await (await service.owner()).deploy();
    const path = links.file(file, inDays(7));
    const [ids = '', query = ''] = path.split('?');
    const signature = query.slice(query.indexOf('signature=') + 10);
    const other = links.file({ ...file, fileId: `file_${'0'.repeat(24)}` }, inDays(7));
    const wrong = [
      ids,
      `${ids}?expires=9999999999&signature=${signature}`,
      `${ids}?${other.split('?')[1]}`,
      path.replace(id, stranger.id),
      path.replace(file.submissionId, `sub_${'0'.repeat(24)}`),
      path.replace(file.fileId, '%00'),
      `${ids}?${links.unsubscribe(id).split('?')[1]}&expires=9999999999`,
      `${ids}?${'a=b&'.repeat(3_000)}`,
      // Signed, and of nothing that is there.
      other,
    ];
    for (const each of wrong) await expectPage(each, 404, WRONG);
    expect((await open(path)).status).toBe(200);
  });

  it('ends with the submission, and with the deployment', async () => {
    const { id } = await owner.deploy();
    const [one, two] = [await submit(id, 'Ada'), await submit(id, 'Grace')];
    const [first, second] = [links.file(one, inDays(7)), links.file(two, inDays(7))];
    expect([(await open(first)).status, (await open(second)).status]).toEqual([200, 200]);
    await owner.delete(`/submissions/${id}/${one.submissionId}`).expect(200);
    await expectPage(first, 404, WRONG);
    expect((await open(second)).status).toBe(200);
    await owner.delete(`/deploy/${id}`).expect(200);
    await expectPage(second, 404, WRONG);
  });
});
