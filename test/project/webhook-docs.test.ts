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

/** How a verifier is called with a secret, and then for each case with file, id, timestamp and signatures: it prints true or false. */
const PROGRAMS: readonly { language: string; file: string; command: string[]; program(code: string): string }[] = [
  {
    language: 'js',
    file: 'verify.mjs',
    command: [process.execPath, 'verify.mjs'],
    program: (code) => `${code}
import { readFileSync } from 'node:fs';
const [secret, ...cases] = process.argv.slice(2);
for (; cases.length > 0; cases.splice(0, 4)) console.log(isGenuine(secret, readFileSync(cases[0]), ...cases.slice(1, 4)));`,
  },
  {
    language: 'python',
    file: 'verify.py',
    command: ['python3', 'verify.py'],
    program: (code) => `${code}
import sys
secret, *cases = sys.argv[1:]
for i in range(0, len(cases), 4):
    print(str(is_genuine(secret, open(cases[i], "rb").read(), *cases[i + 1:i + 4])).lower())`,
  },
  {
    language: 'go',
    file: 'verify.go',
    command: ['./verify'],
    program: (code) => `package main
import (${GO_IMPORTS.map((name) => `"${name}"`).join('\n')})
${code}
func main() {
	for i := 2; i < len(os.Args); i += 4 {
		body, _ := os.ReadFile(os.Args[i])
		println(isGenuine(os.Args[1], body, os.Args[i+1], os.Args[i+2], os.Args[i+3]))
	}
}`,
  },
  {
    language: 'bash',
    file: 'verify.sh',
    command: ['sh', 'verify.sh'],
    program: (code) => `${code}
secret=$1; shift
while [ $# -gt 0 ]; do
  if is_genuine "$secret" "$1" "$2" "$3" "$4"; then echo true; else echo false; fi
  shift 4
done`,
  },
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
    const [name = '', ...args] = command;
    const sent = cases.flatMap(([sent, timestamp, signatures]) => [sent, id, String(timestamp), signatures]);
    const { stdout, stderr } = spawnSync(name, [...args, secret, ...sent], { cwd: folder, encoding: 'utf8' });
    // Go prints to standard error.
    expect((stdout || stderr).trim().split('\n')).toEqual(cases.map(([, , , isGenuine]) => String(isGenuine)));
  });
});
