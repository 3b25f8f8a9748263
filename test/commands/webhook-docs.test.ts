import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sign } from '../../src/delivery/webhooks/signature.ts';
import { PROJECT } from '../support/process.ts';

/*
 * The verifiers of docs/webhooks.md, run as they stand there, in each language that this machine has.
 */

const DOCUMENT = readFileSync(join(PROJECT, 'docs/webhooks.md'), 'utf8');

/** The code of the document in a language. */
function codeIn(language: string): string {
  const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(DOCUMENT) ?? [];
  if (code === undefined) throw new Error(`docs/webhooks.md has no code in ${language}.`);
  return code;
}

const GO_IMPORTS = ['crypto/hmac', 'crypto/sha256', 'encoding/base64', 'math', 'os', 'strconv', 'strings', 'time'];

/**
 * How a verifier is called with secret, file, id, timestamp, signatures as arguments; exits with 0 when it is genuine.
 */
const PROGRAMS: readonly { language: string; file: string; command: string[]; program(code: string): string }[] = [
  {
    language: 'js',
    file: 'verify.mjs',
    command: [process.execPath, 'verify.mjs'],
    program: (code) => `${code}
import { readFileSync } from 'node:fs';
const [secret, file, ...rest] = process.argv.slice(2);
process.exitCode = isGenuine(secret, readFileSync(file), ...rest) ? 0 : 1;`,
  },
  {
    language: 'python',
    file: 'verify.py',
    command: ['python3', 'verify.py'],
    program: (code) => `${code}
import sys
secret, file, *rest = sys.argv[1:]
sys.exit(0 if is_genuine(secret, open(file, "rb").read(), *rest) else 1)`,
  },
  {
    language: 'go',
    file: 'verify.go',
    command: ['./verify'],
    program: (code) => `package main
import (${GO_IMPORTS.map((name) => `"${name}"`).join('\n')})
${code}
func main() {
	body, _ := os.ReadFile(os.Args[2])
	if !isGenuine(os.Args[1], body, os.Args[3], os.Args[4], os.Args[5]) { os.Exit(1) }
}`,
  },
  { language: 'bash', file: 'verify.sh', command: ['sh', 'verify.sh'], program: (code) => `${code}\nis_genuine "$@"` },
];

const isInstalled = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const NEEDS: Readonly<Record<string, string>> = { js: 'true', python: 'python3', go: 'go', bash: 'openssl' };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'formhost-verify-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const secret = `whsec_${Buffer.alloc(32, 0xfb).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const id = 'dl_0VbbZBZKKTcBD17YQfyDgVGm';
const body = '{"event":"submission","data":{"name":"Zoë %s \\n 😀"}}';

describe.each(PROGRAMS)('the verifier of docs/webhooks.md in $language', ({ language, file, command, program }) => {
  it.skipIf(!isInstalled(NEEDS[language] ?? ''))('takes what is genuine, and nothing else', async () => {
    await writeFile(join(folder, file), program(codeIn(language)));
    const environment = { ...process.env, HOME: folder, GOCACHE: join(folder, 'go'), GOFLAGS: '-mod=mod' };
    if (language === 'go') execFileSync('go', ['build', '-o', 'verify', file], { cwd: folder, env: environment });
    const now = Math.floor(Date.now() / 1_000);
    const accepts = async (sent: string, timestamp: number, signatures: string): Promise<boolean> => {
      await writeFile(join(folder, 'body'), sent);
      const [name = '', ...args] = command;
      const { status } = spawnSync(name, [...args, secret, 'body', id, String(timestamp), signatures], { cwd: folder });
      return status === 0;
    };
    const genuine = (timestamp: number) => sign({ id, timestamp, body }, [secret]);
    expect({
      genuine: await accepts(body, now, genuine(now)),
      rotated: await accepts(body, now, sign({ id, timestamp: now, body }, [other, secret])),
      changed: await accepts(`${body} `, now, genuine(now)),
      otherSecret: await accepts(body, now, sign({ id, timestamp: now, body }, [other])),
      otherTime: await accepts(body, now + 1, genuine(now)),
      recorded: await accepts(body, now - 400, genuine(now - 400)),
      fromTheFuture: await accepts(body, now + 400, genuine(now + 400)),
      unsigned: await accepts(body, now, ''),
    }).toEqual({
      genuine: true,
      rotated: true,
      changed: false,
      otherSecret: false,
      otherTime: false,
      recorded: false,
      fromTheFuture: false,
      unsigned: false,
    });
  });
});
