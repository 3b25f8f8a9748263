import { expect, it } from 'vitest';
import { createLinks } from '../../../src/db/account/link-secret.ts';
import { mailsWith } from '../../support/mail.ts';
import { testSmtpServer } from '../../support/smtp.ts';
import { BASE_URL, testService, UNKNOWN_ID } from '../../support/test-service.ts';

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url });
const owner = await service.owner();
const links = await createLinks(service.db, '')();

const totals = async (id: string) => [
  (await owner.get(`/submissions/${id}`)).body.total,
  (await owner.get(`/deploy/${id}/spam`)).body.total,
];

it('a button behind the link in a mail moves the submission to the spam; opening the link does not', async () => {
  const { id, slug } = await owner.deploy();
  await owner.change(id, { email_notifications: true });
  await service.anonymous.post(`/submit/${id}`).send({ text: 'Buy!' }).expect(200);
  const [mail] = await mailsWith(smtp, `New submission for ${slug}`, 1);
  const [, url = ''] = /^Spam: (\S+)$/m.exec(mail?.text ?? '') ?? [];
  const path = url.slice(BASE_URL.length);
  const asked = await service.anonymous.get(path);
  expect([asked.status, await totals(id)]).toEqual([200, [1, 0]]);
  expect(asked.text).toMatch(/<form method="post"><button>Move to spam<\/button><\/form>/);
  const moved = await service.anonymous.post(path);
  expect([moved.status, await totals(id)]).toEqual([200, [0, 1]]);
  expect(moved.text).toContain('<h1>Moved to spam</h1>');
  expect(moved.text).toContain(`href="/dashboard/pages/${id}/inbox?view=spam"`);
  const [spam] = (await owner.get(`/deploy/${id}/spam`)).body.submissions;
  expect(spam).toMatchObject({ data: { text: 'Buy!' }, reason: 'marked' });
  const again = await service.anonymous.post(path);
  expect([again.status, again.text.includes('This link cannot be opened')]).toEqual([404, true]);
});

it('is a 404 with the signature of another submission or of another kind of link, and changes nothing', async () => {
  const { id } = await owner.deploy();
  const submit = async (): Promise<string> => (await service.anonymous.post(`/submit/${id}`).send({ a: 1 })).body.id;
  const [one, other] = [await submit(), await submit()];
  const signature = (link: string): string => link.replace(/^.*\?/, '');
  const wrong = [
    '',
    '?signature=x',
    `?${signature(links.spam({ deploymentId: id, submissionId: other }))}`,
    `?${signature(links.spam({ deploymentId: UNKNOWN_ID, submissionId: one }))}`,
    `?${signature(links.unsubscribe(id, one))}`,
  ];
  for (const query of wrong) {
    expect([query, (await service.anonymous.post(`/spam/${id}/${one}${query}`)).status]).toEqual([query, 404]);
  }
  const link = links.spam({ deploymentId: id, submissionId: one });
  await owner.delete(`/deploy/${id}`).expect(200);
  expect((await service.anonymous.post(link)).status).toBe(404);
  await owner.post(`/trash/${id}/restore`).send({}).expect(200);
  expect(await totals(id)).toEqual([2, 0]);
});
