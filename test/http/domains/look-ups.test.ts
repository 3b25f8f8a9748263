import { describe, expect, it } from 'vitest';
import { DomainChecks } from '../../../src/domains/domain-checks.ts';
import { createLog } from '../../../src/lib/log.ts';
import { startDnsServer } from '../../support/dns-server.ts';
import { testLimits } from '../../support/test-limits.ts';
import { testService } from '../../support/test-service.ts';

const dns = await startDnsServer();
const SETTINGS = { DNS_SERVERS: dns.address, DOMAINS_TARGET: 'edge.example' };
const service = await testService(SETTINGS);
/** It does not wait for long for answers of DNS. */
const hasty = await testService(SETTINGS, undefined, { limits: { domains: { dnsTimeoutMs: 100, dnsTries: 1 } } });
dns.replies.set('A edge.example', ['192.0.2.1']).set('AAAA edge.example', ['2001:db8::1']);

let names = 0;

/** A deployment with a domain that does not exist in DNS, after its first look-up. */
async function claim(given?: string, { db, owner } = service) {
  names += 1;
  const as = await owner();
  const domain = given ?? `forms.shop${names}.example`;
  const { id, slug } = await as.deploy();
  const { body } = await as.post(`/deploy/${id}/domains`).send({ domain }).expect(201);
  const row = { deployment_id: id, domain };
  const isChecked = () => db('domains').where(row).whereNotNull('checked_at');
  await expect.poll(async () => (await isChecked()).length).toBe(1);
  return {
    ...{ id, slug, domain, row, proof: String(body.records[0].value) },
    check: async () => (await as.post(`/deploy/${id}/domains/${domain}/check`).expect(200)).body,
  };
}

describe('the proof', () => {
  it('makes a domain live, among other TXT records, in pieces and with white space', async () => {
    const { check, domain, proof } = await claim();
    dns.replies.set(`TXT _formhost.${domain}`, ['v=spf1 -all', ` ${proof} `]).set(`CNAME ${domain}`, ['Edge.example']);
    expect(await check()).toMatchObject({ domain, status: 'live', problem: null, checked_at: expect.any(String) });
  });

  it.each(['"PROOF"', ' "PROOF" ', '“PROOF”', '\\"PROOF\\"', "'PROOF'"])(
    'counts with the marks around it: %s',
    async (text) => {
      const { check, domain, proof } = await claim();
      dns.replies
        .set(`TXT _formhost.${domain}`, [text.replace('PROOF', proof)])
        .set(`CNAME ${domain}`, ['edge.example']);
      expect(await check()).toMatchObject({ status: 'live', problem: null });
    },
  );

  it.each([
    ['elsewhere.example', '"elsewhere.example"'],
    ['db.prod.internal', 'a name of a private network'],
    ['db', 'a name of a private network'],
  ])('is missing where a wildcard leads to %s, whatever is there', async (leadsTo, shown) => {
    const { check, domain, proof } = await claim();
    const name = `_formhost.${domain}`;
    dns.replies.set(`CNAME ${domain}`, ['edge.example']).set(`CNAME ${name}`, [leadsTo]);
    for (const found of [[], ['v=secret of the target']]) {
      dns.replies.set(`TXT ${name}`, found);
      const { status, problem } = await check();
      expect([status, problem]).toEqual([
        'pending',
        `The TXT record of ${name} is missing: DNS has a CNAME record there, or for all names (*), which leads to ${shown}. Add a TXT record with the value "${proof}".`,
      ]);
    }
    // A provider may keep the records of proofs for its customers.
    dns.replies.set(`TXT ${name}`, [proof]);
    expect(await check()).toMatchObject({ status: 'live', problem: null });
  });

  it('is not shown where DNS does not say whether it is that of another name', async () => {
    const { check, domain, proof } = await claim();
    const name = `_formhost.${domain}`;
    dns.replies
      .set(`CNAME ${domain}`, ['edge.example'])
      .set(`CNAME ${name}`, 'SERVFAIL')
      .set(`TXT ${name}`, ['secret']);
    expect((await check()).problem).toBe(
      `The TXT record of ${name} has other values in DNS. Add one with the value "${proof}".`,
    );
  });

  it('is not looked for where an earlier version has accepted a name of private networks', async () => {
    const owner = await service.owner();
    const { id } = await owner.deploy();
    const domain = 'db.prod.internal';
    const later = new Date(Date.now() + 86_400_000);
    await service.db('domains').insert({ deployment_id: id, domain, status: 'live', next_check_at: later });
    dns.replies.set(`TXT _formhost.${domain}`, ['secret']).set(`A ${domain}`, ['10.1.2.3']);
    const { body } = await owner.post(`/deploy/${id}/domains/${domain}/check`).expect(200);
    expect(body.problem).toBe(
      'The domain is a name of private networks: remove it, and add a name that you have registered.',
    );
    expect(dns.questions.filter((question) => question.includes(domain))).toEqual([]);
  });

  it('is found in the background, when the domain is due', async () => {
    const { domain, proof, row } = await claim();
    dns.replies.set(`TXT _formhost.${domain}`, [proof]);
    await service.db('domains').where(row).update({ next_check_at: new Date() });
    // A further domain wakes the loop.
    await claim();
    await expect.poll(async () => (await service.db('domains').where(row).first('status')).status).toBe('live');
  });

  it.each([
    ['NXDOMAIN', 'is missing: DNS answered NXDOMAIN. Add it with the value "PROOF".'],
    [[], 'is missing: DNS answered that there is none. Add it with the value "PROOF".'],
    [['PROOF2', 'x'], 'has "PROOF2", "x" in DNS. Add one with the value "PROOF".'],
    [['a\u0007b'], 'has "a b" in DNS. Add one with the value "PROOF".'],
    [['x'.repeat(101)], `has "${'x'.repeat(100)}…" in DNS. Add one with the value "PROOF".`],
    [[...'123456'], 'has "1", "2", "3", "4", "5" and 1 more in DNS. Add one with the value "PROOF".'],
  ] as const)('is missing where DNS answers %j', async (reply, problem) => {
    const { check, domain, proof } = await claim();
    const withProof = (text: string) => text.replaceAll('PROOF', proof);
    const name = `_formhost.${domain}`;
    dns.replies.set(`TXT ${name}`, typeof reply === 'string' ? reply : reply.map(withProof));
    dns.replies.set(`CNAME ${domain}`, ['edge.example']);
    const problems = `The TXT record of ${name} ${withProof(problem)}`;
    expect(await check()).toMatchObject({ status: 'pending', problem: problems });
  });

  it.each([
    ['SERVFAIL', service],
    ['silence', hasty],
  ] as const)('is as it was after %s of DNS', async (reply, at) => {
    const { check, domain, proof, row } = await claim(undefined, at);
    const name = `_formhost.${domain}`;
    dns.replies.set(`TXT ${name}`, reply);
    for (const proofGoneAt of [null, new Date(Date.now() - 10 * 86_400_000)]) {
      await at.db('domains').where(row).update({ status: 'live', proof_gone_at: proofGoneAt });
      const { status, problem } = await check();
      expect([status, problem.replace(/ value ".*/, '')]).toEqual([
        'live',
        `DNS did not answer when it was asked for the TXT record of ${name}, which should have the`,
      ]);
      expect(problem).toContain(` value "${proof}".`);
      expect(await at.db('domains').where(row).first('proof_gone_at')).toEqual({ proof_gone_at: proofGoneAt });
    }
  });
});

describe('the way to the page', () => {
  it.each([
    [{ A: ['192.0.2.1'] }, null],
    [{ AAAA: ['2001:db8::1'], A: ['192.0.2.9', '192.0.2.1'] }, null],
    [
      { AAAA: ['2001:db8::1'], A: ['192.0.2.9'] },
      'The addresses of IT include "192.0.2.9", and edge.example has none of these. Remove their records.',
    ],
    [{ CNAME: ['other.example'] }, 'The CNAME record of IT leads to "other.example". Let it lead to edge.example.'],
    [
      { A: ['192.0.2.9'] },
      'The addresses of IT are "192.0.2.9", and none of edge.example. Add a CNAME record to edge.example.',
    ],
    [
      { CNAME: ['db.prod.Internal'] },
      'The CNAME record of IT leads to a name of a private network. Let it lead to edge.example.',
    ],
    [
      { CNAME: ['10.in-addr.arpa'] },
      'The CNAME record of IT leads to a name of a private network. Let it lead to edge.example.',
    ],
    [
      { A: ['10.1.2.3'], AAAA: ['fd00::7'] },
      'The addresses of IT are addresses of a private network, and none of edge.example. Add a CNAME record to edge.example.',
    ],
    [
      { A: ['192.0.2.9', '127.0.0.1', '169.254.169.254', '100.64.1.1'], AAAA: ['::ffff:10.0.0.1', 'fe80::1'] },
      'The addresses of IT are "192.0.2.9", addresses of a private network, and none of edge.example. Add a CNAME record to edge.example.',
    ],
    [
      { A: ['192.0.2.1'], AAAA: ['fd00::7'] },
      'The addresses of IT include addresses of a private network, and edge.example has none of these. Remove their records.',
    ],
    [
      { A: [] },
      'No record leads from IT to this service: DNS answered that there is none. Add a CNAME record to edge.example.',
    ],
    [{}, 'No record leads from IT to this service: DNS answered NXDOMAIN. Add a CNAME record to edge.example.'],
  ])('of %j is told in problem, and changes no status', async (records, problem) => {
    const { check, domain, proof } = await claim();
    dns.replies.set(`TXT _formhost.${domain}`, [proof]);
    for (const [type, values] of Object.entries(records)) dns.replies.set(`${type} ${domain}`, values);
    const body = await check();
    expect(body).toMatchObject({ status: 'live', problem: problem?.replaceAll('IT', domain) ?? null });
  });

  it('of an apex has an ALIAS or addresses', async () => {
    const { check, proof } = await claim('apex-shop.example');
    dns.replies.set('TXT _formhost.apex-shop.example', [proof]).set('A apex-shop.example', []);
    expect((await check()).problem).toBe(
      'No record leads from apex-shop.example to this service: DNS answered that there is none. Add an ALIAS, ANAME or ' +
        'flattened CNAME record to edge.example, or A and AAAA records with its addresses.',
    );
  });
});

it('checks of one domain at the same time share a look-up', async () => {
  const { id, slug, domain, proof } = await claim();
  const { config, db } = service;
  const checks = new DomainChecks({
    ...{ db, limits: testLimits(), log: createLog('silent'), signal: new AbortController().signal },
    ...{ dnsServers: config.dnsServers, times: { checkSeconds: 60, graceSeconds: 60 } },
    ...{ proofs: async () => () => proof, targetOf: () => 'edge.example', onMail: () => undefined },
  });
  const asked = () => dns.questions.filter((one) => one === `TXT _formhost.${domain}`).length;
  const before = asked();
  const check = () => checks.check({ deploymentId: id, slug, domain });
  await Promise.all([check(), check(), check()]);
  expect(asked()).toBe(before + 1);
  await check();
  expect(asked()).toBe(before + 2);
});
