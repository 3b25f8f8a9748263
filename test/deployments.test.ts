import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from './support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('POST /deploy', () => {
  it('answers 201 with id, url and slug', async () => {
    const owner = await service.owner();
    const response = await owner.post('/deploy').send({ html: '<p>x</p>', slug: 'first' });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      id: expect.stringMatching(/^d_[0-9A-Za-z]{20,}$/),
      url: 'https://first.pages.test',
      slug: 'first',
    });
  });
});
