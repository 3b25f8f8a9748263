import { newGuestId, newRecipientId } from '../../src/lib/ids.ts';
import { allowProgram } from './allow-program.ts';
import type { Owner, TestService } from './test-service.ts';

/** The ids that paths name, by their parameters. */
export type Ids = Readonly<Record<string, string>>;

/** Something of everything that a path can name. */
export type Furnished = { live: Ids; spam: Ids; deleted: Ids; mail: Ids; trash: Ids; share: Ids };

/** Makes it for an owner. The webhook is off: it sends nothing anywhere. */
export async function furnish(service: TestService, owner: Owner): Promise<Furnished> {
  const { db, anonymous, config } = service;
  const [live, trash] = [await owner.deploy(), await owner.deploy()];
  await owner.delete(`/deploy/${trash.id}`).expect(200);
  await anonymous.post(`/submit/${live.id}`).attach('cv', Buffer.from('Ada'), 'cv.txt').expect(200);
  for (const name of ['Deleted', 'Spam']) await anonymous.post(`/submit/${live.id}`).send({ name }).expect(200);
  const [spam, deleted, kept] = (await owner.get(`/submissions/${live.id}`)).body.submissions;
  await owner.mark(live.id, 'spam', [spam.id]);
  await owner.mark(live.id, 'delete', [deleted.id]);
  await owner
    .put(`/deploy/${live.id}`)
    .send({ html: '<h1>Hello</h1>', files: { a: 'a' } })
    .expect(200);
  await owner.put(`/deploy/${live.id}/draft`).send({ html: '<h1>Draft</h1>' }).expect(200);
  await owner.put('/draft').send({ html: '<h1>New</h1>' }).expect(200);
  const webhook = await owner.post(`/webhooks/${live.id}`).send({ url: 'https://hooks.example.org/' }).expect(201);
  const webhookPath = `/webhooks/${live.id}/${webhook.body.id}`;
  await owner.patch(webhookPath).send({ active: false }).expect(200);
  const sample = await owner.post(`${webhookPath}/test`).expect(202);
  const recipientId = newRecipientId();
  await db('mail_recipients').insert({
    ...{ id: recipientId, deployment_id: live.id, email: 'ada@example.org', position: 1 },
    confirmed_at: db.fn.now(),
  });
  const mail = await owner.post(`/deploy/${live.id}/mails/test`).expect(202);
  const confirmation = { field: 'email', subject: 'Thank you', text: 'We have your message.' };
  await owner.change(live.id, { confirmation });
  const domain = `${live.slug}.example`;
  await owner.post(`/deploy/${live.id}/domains`).send({ domain }).expect(201);
  const feed = await owner.post(`/deploy/${live.id}/feeds`).send({ name: 'Sheet' }).expect(201);
  const share = await owner.post(`/deploy/${live.id}/shares`).send({}).expect(201);
  // Invitations are limited: so many are made here.
  const guestId = newGuestId();
  await db('guests').insert({
    ...{ id: guestId, deployment_id: live.id, email: 'furnished@test.example' },
    ...{ role: 'reader', invited_at: db.fn.now() },
  });
  const key = await owner.post('/keys').send({ name: 'another' }).expect(201);
  await anonymous.post('/session').send({ key: owner.key }).expect(200);
  // An owner has a bounded number of them.
  for (let { total } = (await owner.get('/grants')).body; total < 2; total += 1) {
    await allowProgram(service, owner, { scope: 'full', resource: config.baseUrl });
  }
  const [grant] = (await owner.get('/grants')).body.grants;
  const [session] = (await owner.get('/sessions')).body.sessions;
  const ids = {
    id: live.id,
    deployId: live.id,
    domain,
    version: '2',
    cursor: '0',
    path: 'a',
    keyId: key.body.id,
    recipientId,
    feedId: feed.body.id,
    shareId: share.body.id,
    guestId,
    sessionId: session.id,
    grantId: grant.id,
  };
  const [token] = /[0-9A-Za-z]{43}/.exec(feed.body.url) ?? [''];
  const submissionIds = { submissionId: kept.id, fileId: kept.data.cv.url.split('/').at(-1) };
  return {
    live: { ...ids, ...submissionIds, token, webhookId: webhook.body.id, deliveryId: sample.body.id },
    spam: { ...ids, submissionId: spam.id },
    deleted: { ...ids, submissionId: deleted.id },
    mail: { ...ids, deliveryId: mail.body.id },
    trash: { id: trash.id },
    share: { ...submissionIds, token: share.body.url.split('/').at(-1) },
  };
}

export function idsFor(path: string, { live, spam, deleted, mail, trash, share }: Furnished): Ids {
  if (path.startsWith('/shares')) return share;
  if (path.startsWith('/trash')) return trash;
  if (/^\/submissions\/.*\/trash\//.test(path)) return deleted;
  if (/^\/deploy\/.*\/spam\//.test(path)) return spam;
  return path.includes('/mails/') ? mail : live;
}
