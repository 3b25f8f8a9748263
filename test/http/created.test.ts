import { expect, it } from 'vitest';
import { testService } from '../support/test-service.ts';

it('says where what was made is', async () => {
  const service = await testService();
  const owner = await service.owner();
  const made = async (path: string, body: object) => {
    const { headers, body: answer } = await owner.post(path).send(body).expect(201);
    return { location: headers.location ?? '', id: answer.id };
  };
  const page = await made('/deploy', { html: '<p>Hello' });
  expect(page.location).toBe(`/deploy/${page.id}`);
  await owner.get(page.location).expect(200);
  const webhook = await made(`/webhooks/${page.id}`, { url: 'https://hooks.example/' });
  expect(webhook.location).toBe(`/webhooks/${page.id}/${webhook.id}`);
  await owner.patch(webhook.location).send({ active: false }).expect(200);
  const domain = await made(`/deploy/${page.id}/domains`, { domain: 'forms.example.' });
  expect(domain.location).toBe(`/deploy/${page.id}/domains/forms.example`);
  await owner.delete(domain.location).expect(200);
  const key = await made('/keys?x=1', { name: 'Build' });
  expect(key.location).toBe(`/keys/${key.id}`);
  await owner.delete(key.location).expect(200);
});
