import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sign } from '../../src/webhooks/signature.ts';
import { isInstalled } from '../support/installed.ts';
import { PROJECT } from '../support/process.ts';
import { emptyFolder } from '../support/run-formhost.ts';

const [, VERIFIER = ''] =
  /^```bash\n([\s\S]*?)^```$/m.exec(readFileSync(join(PROJECT, 'docs/webhooks.md'), 'utf8')) ?? [];

const secret = `whsec_${Buffer.alloc(32, 0xfb).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const id = 'dl_0VbbZBZKKTcBD17YQfyDgVGm';
const body = '{"event":"submission","data":{"name":"Zoë %s \\n 😀"}}';

it.skipIf(!isInstalled('openssl', 'the tests of the verifier in a shell'))(
  'the verifier of docs/webhooks.md takes what is genuine, and nothing else',
  async () => {
    const folder = await emptyFolder();
    await writeFile(join(folder, 'body'), body);
    await writeFile(join(folder, 'changed'), `${body} `);
    const now = Math.floor(Date.now() / 1_000);
    const signed = (timestamp: number, ...secrets: string[]) => sign({ id, timestamp, body }, secrets);
    const cases: [sent: string, timestamp: number, signatures: string, isGenuine: boolean][] = [
      ['body', now, signed(now, secret), true],
      ['body', now, signed(now, other, secret), true],
      ['changed', now, signed(now, secret), false],
      ['body', now, signed(now, other), false],
      ['body', now + 1, signed(now, secret), false],
      // Recorded, and from the future.
      ['body', now - 400, signed(now - 400, secret), false],
      ['body', now + 400, signed(now + 400, secret), false],
      ['body', now, '', false],
    ];
    const answers = cases.map(([sent, timestamp, signatures]) => {
      const args = [secret, sent, id, String(timestamp), signatures];
      return spawnSync('sh', ['-c', `${VERIFIER}\nis_genuine "$@"`, 'sh', ...args], { cwd: folder }).status === 0;
    });
    expect(answers).toEqual(cases.map(([, , , isGenuine]) => isGenuine));
  },
);
