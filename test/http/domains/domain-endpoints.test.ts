import { describe, expect, it } from 'vitest';
import { startDnsServer } from '../../support/dns-server.ts';
import { asOwner, testService } from '../../support/test-service.ts';

const dns = await startDnsServer();
const service = await testService({ DNS_SERVERS: dns.address }, undefined, {
  limits: { owners: { domainChecksPerMinute: 10 } },
});
const owner = await service.owner();
const TIME = expect.stringMatching(/Z$/);

const add = (id: string, domain: string, as = owner) => as.post(`/deploy/${id}/domains`).send({ domain });
const listed = async (id: string): Promise<string[]> =>
  (await owner.get(`/deploy/${id}/domains`).expect(200)).body.domains.map(({ domain }: { domain: string }) => domain);
const proofIn = (body: { records: { value: string }[] }) => body.records[0]?.value;

describe('POST /deploy/:id/domains', () => {
  it('answers a pending domain with its records at once, in lower case and IDNA', async () => {
    const { id, slug } = await owner.deploy();
    const { body } = await add(id, 'Forms.Bücher.example.').expect(201);
    expect(body).toEqual({
      domain: 'forms.xn--bcher-kva.example',
      status: 'pending',
      records: [
        {
          type: 'TXT',
          name: '_formhost.forms.xn--bcher-kva.example',
          value: expect.stringMatching(/^formhost-verification=[0-9a-f]{32}$/),
          purpose: 'ownership',
        },
        { type: 'CNAME', name: 'forms.xn--bcher-kva.example', value: `${slug}.pages.test`, purpose: 'traffic' },
      ],
      problem: null,
      checked_at: null,
      created_at: TIME,
    });
    const again = await add(id, 'forms.bücher.example').expect(201);
    expect(again.body).toMatchObject({ domain: body.domain, created_at: body.created_at });
    expect(await listed(id)).toEqual([body.domain]);
  });

  it('answers a sentence about ALIAS and A records for an apex, and DOMAINS_TARGET where it is set', async () => {
    const { url } = await service.another({ DOMAINS_TARGET: 'edge.test' });
    const { id } = await owner.deploy();
    const { body } = await add(id, 'shop.example', asOwner(url, owner.key)).expect(201);
    expect(body.records[1]).toEqual({
      ...{ type: 'ALIAS', name: 'shop.example', purpose: 'traffic' },
      value:
        'An ALIAS, ANAME or flattened CNAME record to edge.test; or A and AAAA records with the addresses of edge.test.',
    });
    const refused = await add(id, 'edge.test', asOwner(url, owner.key)).expect(400);
    expect(refused.body).toEqual({ error: 'domain belongs to this service: send a domain of your own.' });
  });

  it('has another proof for each deployment, the same after a domain was removed and added', async () => {
    const [first, second] = [await owner.deploy(), await owner.deploy()];
    const proofs = [await add(first.id, 'a.proof.example'), await add(first.id, 'b.proof.example')];
    const other = await add(second.id, 'a.proof.example').expect(201);
    expect(proofIn(proofs[0]?.body)).toBe(proofIn(proofs[1]?.body));
    expect(proofIn(other.body)).not.toBe(proofIn(proofs[0]?.body));
    await owner.delete(`/deploy/${first.id}/domains/a.proof.example`).expect(200);
    expect(proofIn((await add(first.id, 'a.proof.example')).body)).toBe(proofIn(proofs[0]?.body));
  });

  it.each([
    [{}, 'domain is required: send a name such as forms.shop.example.'],
    [{ domain: 1 }, 'domain is required: send a name such as forms.shop.example.'],
    [{ domain: '[::1]' }, 'domain is an address: send a name.'],
    [{ domain: 'github.io' }, 'domain is a public suffix: send a name that you have registered.'],
    [
      { domain: 'db.prod.svc.Cluster.Local.' },
      'domain is a name of private networks: send a name that you have registered.',
    ],
    [{ domain: 'API.test' }, 'domain belongs to this service: send a domain of your own.'],
    [{ domain: 'a.b.pages.test' }, 'domain belongs to this service: send a domain of your own.'],
  ])('refuses %j', async (body, error) => {
    const { id } = await owner.deploy();
    const answer = await owner.post(`/deploy/${id}/domains`).send(body).expect(400);
    expect(answer.body).toEqual({ error });
  });

  it('accepts ten domains, however many are added at once in two processes', async () => {
    const { url } = await service.another();
    const { id } = await owner.deploy();
    const processes = [owner, asOwner(url, owner.key)];
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_none, n) => add(id, `n${n}.many.example`, processes[n % 2])),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(201), ...Array(4).fill(409)]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toEqual({ error: 'The deployment has 10 domains: remove one first.' });
    const [first = ''] = await listed(id);
    // It has this one already.
    await add(id, first).expect(201);
    await owner.delete(`/deploy/${id}/domains/${first}`).expect(200);
    await add(id, 'one-more.many.example').expect(201);
  });

  it('refuses a domain that is live at another deployment, of any owner, unless that was deleted', async () => {
    const holder = await service.owner();
    const { id: live } = await holder.deploy();
    await service.db('domains').insert({ deployment_id: live, domain: 'live.example', status: 'live' });
    const { id } = await owner.deploy();
    const refused = await add(id, 'live.example').expect(409);
    expect(refused.body).toEqual({
      error: 'The domain is live at another page: remove it there first.',
    });
    await holder.delete(`/deploy/${live}`).expect(200);
    await add(id, 'live.example').expect(201);
  });
});

describe('DELETE /deploy/:id/domains/:domain', () => {
  it('removes a domain, in any spelling', async () => {
    const { id } = await owner.deploy();
    await add(id, 'bücher.example');
    const { body } = await owner.delete(`/deploy/${id}/domains/${encodeURIComponent('BÜCHER.example.')}`).expect(200);
    expect(body).toEqual({ message: 'Domain removed', domain: 'xn--bcher-kva.example' });
    expect(await listed(id)).toEqual([]);
    const again = await owner.delete(`/deploy/${id}/domains/xn--bcher-kva.example`).expect(404);
    expect(again.body).toEqual({ error: 'No such domain: choose one that GET /deploy/:id/domains lists.' });
    await owner.post(`/deploy/${id}/domains/${encodeURIComponent('a b')}/check`).expect(404);
  });
});

describe('POST /deploy/:id/domains/:domain/check', () => {
  it('answers 429 after ten look-ups of an owner in a minute, of all processes', async () => {
    const one = await service.owner();
    const { id } = await one.deploy();
    await add(id, 'often.example', one).expect(201);
    const { url } = await service.another();
    const check = (as = one) => as.post(`/deploy/${id}/domains/often.example/check`);
    const told = (r: number) => expect.stringMatching(new RegExp(`^"domain-checks"; r=${r}; t=(?:[1-9]|[1-5]\\d|60)$`));
    const policy = expect.stringMatching(/^"domain-checks"; q=10; w=60; pk=:\w{16}:$/);
    for (let left = 9; left >= 0; left -= 1) {
      const { headers } = await check(left % 2 === 0 ? one : asOwner(url, one.key)).expect(200);
      expect([headers.ratelimit, headers['ratelimit-policy']]).toEqual([told(left), policy]);
    }
    const { body, headers } = await check().expect(429);
    expect([headers.ratelimit, headers['ratelimit-policy']]).toEqual([told(0), policy]);
    expect(body).toEqual({ error: expect.stringMatching(/^Too many look-ups: try again in \d+ seconds\.$/) });
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    const two = await service.owner();
    const { id: theirs } = await two.deploy();
    await add(theirs, 'seldom.example', two).expect(201);
    const { headers: first } = await two.post(`/deploy/${theirs}/domains/seldom.example/check`).expect(200);
    expect(first.ratelimit).toEqual(told(9));
  });
});

it('the domains of another owner are a 404', async () => {
  const { id } = await owner.deploy();
  await add(id, 'mine.example').expect(201);
  const other = await service.owner();
  await other.get(`/deploy/${id}/domains`).expect(404);
  await add(id, 'other.example', other).expect(404);
  await other.post(`/deploy/${id}/domains/mine.example/check`).expect(404);
  await other.delete(`/deploy/${id}/domains/mine.example`).expect(404);
  expect(await listed(id)).toEqual(['mine.example']);
});
