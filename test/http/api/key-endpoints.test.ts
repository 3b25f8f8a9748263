import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { SIZES } from '../../../src/sizes.ts';
import { answer, aTime, refused } from '../../support/answers.ts';
import { asOwner, type Owner, openSocket, testService } from '../../support/test-service.ts';

// The key of every body is looked up again.
const service = await testService({}, undefined, { limits: { requests: { slowBodyMs: 0 } } });

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

async function makeKey(owner: Owner, body: object = {}): Promise<{ id: string; as: Owner }> {
  const { status, body: made } = await owner.post('/keys').send({ name: 'test', ...body });
  expect(status).toBe(201);
  return { id: made.id, as: asOwner(service.url, made.key) };
}

describe('POST /keys', () => {
  it('makes a key, which is shown this once', async () => {
    const owner = await service.owner();
    const expiresAt = inDays(1);
    const { status, body } = await owner
      .post('/keys')
      .send({ name: 'A build 🚀', scope: 'read', expires_at: expiresAt });
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^key_/),
        name: 'A build 🚀',
        prefix: body.key.slice(0, 8),
        scope: 'read',
        created_at: aTime,
        expires_at: expiresAt,
        pages: null,
        key: expect.stringMatching(/^fh_[0-9A-Za-z]{40,}$/),
      },
    });
    const rows = await service.db('api_keys').where({ id: body.id });
    expect(JSON.stringify(rows)).not.toContain(body.key.slice(8));
    const { body: plain } = await owner.post('/keys').send({ name: 'x'.repeat(100) });
    expect([plain.scope, plain.expires_at]).toEqual(['full', null]);
  });

  it.each([
    ...[{}, { name: ' ' }, { name: 'x'.repeat(101) }, { name: 'a\u0000b' }, { name: 'a\nb' }, { name: '\ud800' }],
    { name: 'a', scope: 'write' },
    ...['2020-01-01T00:00:00Z', '2099-01-01', '2099-02-30T00:00:00Z', '9999-12-31T23:59:59-23:59', 4_102_444_800].map(
      (expires_at) => ({ name: 'a', expires_at }),
    ),
  ])('answers 400 to %j', async (body) => {
    const owner = await service.owner();
    expect(await owner.send('POST', '/keys', JSON.stringify(body))).toEqual(refused(400));
  });

  it('names one error of each wrong field', async () => {
    const owner = await service.owner();
    const wrong = { name: Array.from({ length: 101 }, () => 'a'), scope: 'write', expires_at: 'tomorrow' };
    const refusal = await owner.post('/keys').send(wrong).expect(400);
    expect([refusal.body.error, refusal.get('formhost-notice')]).toEqual([
      'name is required: send 1 to 100 characters.',
      'scope is invalid: send full, read or publish; expires_at is invalid: send a time such as 2027-01-01T00:00:00Z, or leave it out',
    ]);
  });

  it('answers 409 to who has as many keys as one may have', async () => {
    const owner = await service.owner();
    const { id } = await makeKey(owner);
    const { owner_id: ownerId } = await service.db('api_keys').where({ id }).first('owner_id');
    await service.db.raw(
      `INSERT INTO api_keys (id, owner_id, hash, prefix) SELECT 'key_' || n, ?, sha256(n::text::bytea), 'fh_'
         FROM generate_series(1, ?::int) AS n`,
      [ownerId, SIZES.apiKey.maxOfOwner - 2],
    );
    expect(answer(await owner.post('/keys').send({ name: 'one too many' }))).toEqual(refused(409));
  });
});

describe('GET /keys', () => {
  it('lists keys, newest first, without revoked ones and without the keys themselves', async () => {
    const owner = await service.owner();
    const expiresAt = inDays(2);
    const read = await makeKey(owner, { name: 'reader', scope: 'read', expires_at: expiresAt });
    const revoked = await makeKey(owner);
    await owner.delete(`/keys/${revoked.id}`).expect(200);
    await read.as.get('/deploy').expect(200);
    await makeKey(await service.owner());
    const { status, body } = await owner.get('/keys');
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        keys: [
          {
            id: read.id,
            name: 'reader',
            prefix: read.as.key.slice(0, 8),
            scope: 'read',
            created_at: aTime,
            last_used_at: aTime,
            expires_at: expiresAt,
            pages: null,
          },
          {
            id: expect.any(String),
            name: null,
            prefix: owner.key.slice(0, 8),
            scope: 'full',
            created_at: aTime,
            last_used_at: aTime,
            expires_at: null,
            pages: null,
          },
        ],
        total: 2,
        page: 1,
        limit: 50,
      },
    });
  });
});

describe('DELETE /keys/:keyId', () => {
  it('revokes a key, which every process refuses within a second', async () => {
    const owner = await service.owner();
    const other = await service.another();
    const { id, as } = await makeKey(owner);
    const elsewhere = asOwner(other.url, as.key);
    await elsewhere.get('/deploy').expect(200);
    expect(answer(await owner.delete(`/keys/${id}`))).toEqual({
      status: 200,
      body: { message: 'Key revoked', id },
    });
    expect(answer(await as.get('/deploy'))).toEqual(refused(401));
    expect(answer(await elsewhere.get('/deploy'))).toEqual(refused(401));
    expect(answer(await owner.delete(`/keys/${id}`))).toEqual(refused(404));
    await other.close();
  });

  it('lets a key revoke itself, except the last full one', async () => {
    const owner = await service.owner();
    const { id, as } = await makeKey(owner);
    await makeKey(owner, { scope: 'read' });
    const { keys } = (await owner.get('/keys')).body;
    const first = keys.find(({ id: of, scope }: { id: string; scope: string }) => of !== id && scope === 'full');
    expect(answer(await as.delete(`/keys/${id}`))).toEqual({ status: 200, body: { message: 'Key revoked', id } });
    expect(answer(await as.get('/me'))).toEqual(refused(401));
    expect(answer(await owner.delete(`/keys/${first.id}`))).toEqual(refused(409));
    await owner.get('/me').expect(200);
  });

  it('leaves one full key, however many are revoked at once; one that has expired is none', async () => {
    const owner = await service.owner();
    const { id: second } = await makeKey(owner);
    const { id: expired } = await makeKey(owner, { expires_at: inDays(1) });
    await service
      .db('api_keys')
      .where({ id: expired })
      .update({ expires_at: new Date(Date.now() - 1_000) });
    const ids = (await owner.get('/keys')).body.keys.map(({ id }: { id: string }) => id);
    expect(ids).toHaveLength(3);
    const first = ids.find((id: string) => id !== second && id !== expired);
    const answers = await Promise.all([first, second].map((id) => owner.delete(`/keys/${id}`)));
    // The one that was revoked may have been that of the other request, too.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const left = await service.db('api_keys').whereIn('id', [first, second]).whereNull('revoked_at');
    expect(left).toHaveLength(1);
  });
});

describe('a key', () => {
  it('that has expired is refused, also where it was used before', async () => {
    const owner = await service.owner();
    const { id, as } = await makeKey(owner, { expires_at: inDays(1) });
    await as.get('/deploy').expect(200);
    await service
      .db('api_keys')
      .where({ id })
      .update({ expires_at: new Date(Date.now() - 1) });
    const response = await as.get('/deploy');
    expect([answer(response), response.headers['www-authenticate']]).toEqual([refused(401), 'Bearer']);
  });

  it('that is revoked while a body arrives slowly does nothing more, and makes no other key', async () => {
    const owner = await service.owner();
    const { id, as: stolen } = await makeKey(owner);
    const socket = openSocket(service.url);
    const body = '{"name":"kept"}';
    socket.write(
      `POST /keys HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer ${stolen.key}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body.slice(0, 5)}`,
    );
    // The key was valid when the request began.
    const used = () => service.db('api_keys').where({ id }).whereNotNull('last_used_at');
    await expect.poll(used).toHaveLength(1);
    await owner.delete(`/keys/${id}`).expect(200);
    socket.write(body.slice(5));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 401 /);
    expect((await owner.get('/keys')).body.total).toBe(1);
  });
});
