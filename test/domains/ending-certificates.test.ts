import { once } from 'node:events';
import { createSecureContext, createServer } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { countEndingDomains, listEndingDomains } from '../../src/db/domains/ending-domain-queries.ts';
import { endsSoon } from '../../src/domains/certificate.ts';
import { countEndingCertificates } from '../../src/domains/ending-certificates.ts';
import { makeCertificate } from '../support/receivers.ts';
import { testService } from '../support/test-service.ts';

const DAY_MS = 86_400_000;

it.each([
  [90, 15, false],
  [90, 13, true],
  [90, -1, true],
  // Renewed when a third is left.
  [6, 2, false],
  [6, 0.9, true],
])('a certificate of %d days with %d left ends soon: %s', (days, left, isSoon) => {
  const now = Date.now();
  const until = now + left * DAY_MS;
  expect(endsSoon({ from: new Date(until - days * DAY_MS), until: new Date(until) }, now)).toBe(isSoon);
});

/** A server with a certificate for each name, which notes for which names it was asked. */
async function tlsServer(lasts: Readonly<Record<string, number>>) {
  const asked: string[] = [];
  const contexts = new Map(
    Object.entries(lasts).map(([name, hours]) => [
      name,
      createSecureContext(makeCertificate([name], { lasts: hours })),
    ]),
  );
  const server = createServer({
    SNICallback(name, give) {
      asked.push(name);
      give(null, contexts.get(name));
    },
  });
  server.on('secureConnection', (socket) => socket.on('error', () => undefined).resume());
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listening on no port');
  return { port: address.port, asked };
}

it('counts certificates that end soon, of the API, a page and custom domains', async () => {
  const { db, owner: newOwner } = await testService();
  const owner = await newOwner();
  const { id } = await owner.deploy();
  await db('domains').insert([
    { deployment_id: id, domain: 'good.example', status: 'live' },
    { deployment_id: id, domain: 'ends.example', status: 'live' },
    { deployment_id: id, domain: 'claimed.example', status: 'pending' },
    { deployment_id: id, domain: 'gone.example', status: 'broken' },
  ]);
  const { port, asked } = await tlsServer({ localhost: 0.1, 'good.example': 1_000, 'ends.example': 0.1 });
  const addresses = {
    baseUrl: `https://localhost:${port}`,
    pageUrl: () => `https://localhost:${port}`,
    targetOf: () => '127.0.0.1',
  };
  expect(await countEndingCertificates(db, addresses)).toBe(3);
  expect(asked.toSorted()).toEqual(['ends.example', 'good.example', 'localhost', 'localhost']);
  const http = { ...addresses, baseUrl: 'http://localhost:1', pageUrl: () => 'http://localhost:1' };
  expect(await countEndingCertificates(db, http)).toBeUndefined();
  const nobody = { ...addresses, baseUrl: 'https://localhost:1', pageUrl: () => 'https://localhost:1' };
  await expect(countEndingCertificates(db, nobody)).rejects.toThrow('no server gives a certificate');
});

it('counts live domains whose proof is gone, the first to end first', async () => {
  const { db, owner: newOwner } = await testService();
  const owner = await newOwner();
  const { id } = await owner.deploy();
  expect(await countEndingDomains(db)).toBe(0);
  const gone = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await db('domains').insert([
    { deployment_id: id, domain: 'a.example', status: 'live', proof_gone_at: gone(1) },
    { deployment_id: id, domain: 'b.example', status: 'live', proof_gone_at: gone(2) },
    { deployment_id: id, domain: 'c.example', status: 'live' },
    { deployment_id: id, domain: 'd.example', status: 'broken', proof_gone_at: gone(90) },
  ]);
  expect([await countEndingDomains(db), await listEndingDomains(db, 9)]).toEqual([2, ['b.example', 'a.example']]);
  expect(await listEndingDomains(db, 1)).toEqual(['b.example']);
  await owner.delete(`/deploy/${id}`);
  expect(await countEndingDomains(db)).toBe(0);
});
