import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import request from 'supertest';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isInstalled } from '../support/installed.ts';
import { freePort, PROJECT, startProgram } from '../support/process.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { testService } from '../support/test-service.ts';

const HAS_HAPROXY = isInstalled('haproxy', 'the test of its configuration');

/** Replaces one thing in the shipped configuration; it has to be there. */
function replaced(text: string, pattern: RegExp, by: string): string {
  if (!pattern.test(text)) throw new Error(`deploy/examples/haproxy.cfg does not match ${pattern}`);
  return text.replace(pattern, by);
}

/** HAProxy with deploy/examples/haproxy.cfg as it is, except for its addresses and that of the service. Returns its URL. */
async function startHaproxy(service: string): Promise<string> {
  const port = await freePort();
  let text = await readFile(join(PROJECT, 'deploy/examples/haproxy.cfg'), 'utf8');
  text = replaced(text, /bind :443 .*/, `bind 127.0.0.1:${port}`);
  text = replaced(text, /frontend http\n(?:\t.*\n)+/, '');
  text = replaced(text, /server one .*/, `server one ${new URL(service).host}`);
  const file = join(await emptyFolder(), 'haproxy.cfg');
  await writeFile(file, text);
  const { child, result } = startProgram('haproxy', ['-db', '-f', file], {});
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await result;
  });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => request(url).get('/readyz').expect(200), { timeout: 240_000, interval: 50 });
  return url;
}

describe.runIf(HAS_HAPROXY)('deploy/examples/haproxy.cfg', () => {
  it('serves the API and pages, tells the address of the visitor, and hides what is for proxies', async () => {
    const service = await testService({ TRUST_PROXY: '1' });
    const owner = await service.owner();
    const { id, slug } = await owner.deploy({ html: '<p>Behind a proxy' });
    const url = await startHaproxy(service.url);
    const page = await request(url).get('/').set('Host', `${slug}.pages.test`).expect(200);
    expect(page.text).toBe('<p>Behind a proxy');
    // The proxy removes the headers in which a client claims to be another.
    const claimed = { 'X-Forwarded-For': '203.0.113.7', Forwarded: 'for=203.0.113.7', 'X-Forwarded-Host': 'evil.test' };
    await request(url).post(`/submit/${id}`).set(claimed).send({ name: 'Ada' }).expect(200);
    const { body } = await owner.get(`/submissions/${id}`).expect(200);
    expect(body.submissions).toMatchObject([{ data: { name: 'Ada' }, ip_address: '127.0.0.1' }]);
    const asked = `?domain=${slug}.pages.test`;
    await service.anonymous.get(`/internal/tls${asked}`).expect(200);
    for (const path of ['/internal/tls', '/INTERNAL/tls', '/%69nternal/tls', '/internal']) {
      await request(url)
        .get(path + asked)
        .expect(404);
    }
  });
});
