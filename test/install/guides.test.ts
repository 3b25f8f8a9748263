import { readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SETTING_NAMES } from '../../src/config.ts';
import { emptyDatabase, testDatabase } from '../support/fresh-database.ts';
import { freePort, PROJECT, startProgram } from '../support/process.ts';
import { emptyFolder } from '../support/run-formhost.ts';
import { headerOf, readMail, testSmtpServer } from '../support/smtp.ts';
import { keyIn } from '../support/test-process.ts';

/*
 * Runs the commands of the guides, and compares what they print with what the guides show. Of each guide all blocks in
 * `sh` run in their order in one shell, in an empty folder, against one running service. A block in `text` is what the
 * block in `sh` before it prints. A block that can't run here is marked: ```sh no-test=REASON.
 */

/** Why a block does not run here. */
const REASONS: Readonly<Record<string, string>> = {
  service: 'it starts or updates the service in the foreground',
  docker: 'it needs a container engine and images',
  root: 'it changes the machine: users, units, certificates',
  dns: 'it needs public DNS names',
  placeholder: 'it has a value of the reader in it, or a place on the reader’s machine',
  machine: 'what it prints depends on the machine',
};

const GUIDES = [
  ...['README.md', 'docs/getting-started.md', 'docs/dashboard.md', 'docs/forms.md', 'docs/check.md'],
  ...['docs/your-site.md', 'docs/migrating.md', 'docs/spam.md', 'docs/exports.md', 'docs/inbox.md', 'docs/live.md'],
  ...['docs/command-line.md', 'docs/pages.md', 'docs/webhooks.md', 'docs/mail.md', 'docs/self-hosting.md'],
  ...['docs/operations.md', 'docs/upgrading.md', 'docs/scaling.md', 'docs/api.md', 'docs/agents.md'],
  ...['formspree', 'formsubmit', 'basin', 'getform', 'web3forms', 'netlify', 'tally', 'google-forms'].map(
    (service) => `docs/migrating/${service}.md`,
  ),
  'docs/importing.md',
];

type Block = { language: string; info: string; text: string };

const textOf = (guide: string): string => readFileSync(join(PROJECT, guide), 'utf8');

const blocksOf = (text: string): Block[] =>
  Array.from(
    text.matchAll(/^( *)```(\w*) ?(.*)\n([\s\S]*?)^\1```$/gm),
    ([, indent = '', language = '', info = '', text = '']) => ({
      language,
      info,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );

/** The commands of a text that run here, each with what it prints, if the text shows that. */
function stepsOf(guideText: string): { command: string; output: string | undefined }[] {
  const blocks = blocksOf(guideText);
  return blocks.flatMap(({ language, info, text }, index) => {
    if (language !== 'sh' || info.startsWith('no-test')) return [];
    const next = blocks[index + 1];
    return [{ command: text, output: next?.language === 'text' ? next.text : undefined }];
  });
}

/** The owner in all guides. In the tests each guide has its own. */
const OWNER = 'you@example.com';
const ownerOf = (guide: string): string => `you@${posix.basename(guide, '.md').toLowerCase()}.example`;

/** The text with all that differs from run to run made the same. */
const normalized = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(/\b(d|sub|wh|dl|file|key|feed|share)_[0-9A-Za-z]{20,}/g, '$1_ID')
    .replaceAll(/\bfh_[0-9A-Za-z]{43}/g, 'fh_KEY')
    .replaceAll(/\bfh_[0-9A-Za-z]{5}\b/g, 'fh_START')
    .replaceAll(/\/feeds\/[0-9A-Za-z]{43}\.csv/g, '/feeds/SECRET.csv')
    .replaceAll(/\bpreview-[a-z]{26}\b/g, 'preview-LABEL')
    .replaceAll(/\/shares\/[0-9A-Za-z]{43}/g, '/shares/SECRET')
    .replaceAll(/\bwhsec_[0-9A-Za-z+/]{43}=/g, 'whsec_SECRET')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/"duration_ms":\d+/g, '"duration_ms":MS')
    .replaceAll(/\d{4}-\d\d-\d\d/g, 'DATE')
    .replaceAll(/\b\d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC\b/g, 'TIME UTC')
    .replaceAll(/\bexpires=\d{10}\b/g, 'expires=SECONDS')
    .replaceAll(/\bsignature=[\w-]{43}/g, 'signature=SIGNATURE')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID')
    .replaceAll(/\b\d+ (seconds|ms|bytes)\b/g, 'N $1')
    .replaceAll(/^((?:nodejs|formhost)_\S+) [\d.]+$/gm, '$1 N')
    .replaceAll(/"version":"[\d.]+"/g, '"version":"V"')
    // Each mail server answers in its own words.
    .replaceAll(/(?<=the mail: 250) .*/g, '')
    .replaceAll(/\byou@[\w-]+\.example\b/g, OWNER)
    .trim();

const PORTS = { service: 3000, receiver: 8080, metrics: 9464 };

const database = await testDatabase(emptyDatabase);
const mailServer = await testSmtpServer();

describe('the guides', () => {
  let service: ReturnType<typeof startProgram>;
  let settings: Record<string, string>;
  /** The ports of the guides, and those that stand for them here. */
  let ports: [shown: number, real: number][];

  beforeAll(async () => {
    const [port, receiver, metrics] = await Promise.all([freePort(), freePort(), freePort()]);
    ports = [
      [PORTS.service, port],
      [PORTS.receiver, receiver],
      [PORTS.metrics, metrics],
    ];
    settings = {
      // Empty settings count as none, and keep a developer's .env out.
      ...Object.fromEntries(SETTING_NAMES.map((name) => [name, ''])),
      DATABASE_URL: database.url,
      PORT: String(port),
      METRICS_PORT: String(metrics),
      SMTP_URL: mailServer.url,
      LOG_LEVEL: 'error',
    };
    service = startProgram(
      process.execPath,
      ['--import', './test/support/patient-process.ts', 'src/main.ts'],
      settings,
    );
    const ready = () => request(`http://127.0.0.1:${port}`).get('/readyz').expect(200);
    await vi.waitFor(ready, { timeout: 240_000, interval: 50 });
  });
  afterAll(async () => {
    service?.child.kill();
    await service?.result;
  });

  const replaced = (text: string, pairs: readonly (readonly [from: number, to: number])[]): string =>
    pairs.reduce(
      (all, [from, to]) => all.replaceAll(new RegExp(`(?<=localhost:|listen\\()${from}\\b`, 'g'), String(to)),
      text,
    );

  /** `formhost` is in the PATH, and npx takes most of a second to start it. */
  const withoutNpx = (command: string): string => command.replaceAll('npx formhost', 'formhost');

  /** A folder with what a reader's clone has, for commands that are run there. */
  async function workspace(): Promise<string> {
    const folder = await emptyFolder();
    for (const name of ['.env.example', 'bin', 'deploy', 'migrations', 'node_modules', 'package.json', 'src']) {
      await symlink(join(PROJECT, name), join(folder, name));
    }
    return folder;
  }

  /** Runs commands: the output of each, and its exit code. */
  async function run(commands: readonly string[], owner: string): Promise<{ code: number; output: string }[]> {
    const mark = '\u001e';
    const key = await keyIn(database.url, owner);
    const folder = await workspace();
    const real = (command: string): string =>
      replaced(withoutNpx(command), ports)
        .replaceAll('fh_…', key)
        .replaceAll(OWNER, owner)
        // Other tests write there, too.
        .replaceAll('/tmp/', `${folder}/`);
    const script = commands.map((command) => `${real(command)}\nprintf '${mark}%s${mark}' "$?"\n`).join('');
    const env = {
      ...settings,
      HOME: folder,
      PATH: `${join(PROJECT, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
    };
    // A command may end the socket that Node makes for a child's output: behind cat it has a pipe, as in a terminal's
    // pipeline.
    const pipeline = `cd '${folder}' && bash -c "$1" | cat`;
    const { child, result } = startProgram('sh', ['-c', pipeline, 'sh', script], env);
    onTestFinished(() => void child.kill('SIGKILL'));
    const { stdout, stderr } = await result;
    const parts = replaced(
      stdout,
      ports.map(([shown, actual]) => [actual, shown] as const),
    ).split(mark);
    if (parts.length !== 2 * commands.length + 1) throw new Error(`The shell ended early: ${stdout} ${stderr}`);
    return commands.map((_, index) => ({ output: parts[2 * index] ?? '', code: Number(parts[2 * index + 1]) }));
  }

  /** Runs the commands of a text as an owner, and compares what they print with what it shows. */
  async function follow(text: string, owner: string): Promise<void> {
    const steps = stepsOf(text);
    expect(steps.length).toBeGreaterThan(0);
    const results = await run(
      steps.map(({ command }) => command),
      owner,
    );
    const shown = steps.map(({ command, output }) => ({
      command,
      code: 0,
      output: output === undefined ? undefined : normalized(output),
    }));
    const printed = steps.map(({ command, output }, index) => ({
      command,
      code: results[index]?.code,
      output: output === undefined ? undefined : normalized(results[index]?.output ?? ''),
    }));
    expect(printed).toEqual(shown);
  }

  it.each(GUIDES)('%s: its commands do what it shows', { timeout: 240_000 }, async (guide) => {
    await follow(textOf(guide), ownerOf(guide));
  });

  it('/llms.txt: its commands do what it shows', { timeout: 240_000 }, async () => {
    const { text } = await request(`http://127.0.0.1:${ports[0]?.[1]}`).get('/llms.txt').expect(200);
    const shown = replaced(
      text,
      ports.map(([port, real]) => [real, port] as const),
    );
    expect(shown.length).toBeLessThanOrEqual(12_000);
    await follow(shown, ownerOf('llms.txt'));
  });

  it('/skill.md: its commands do what it shows', { timeout: 240_000 }, async () => {
    const { text } = await request(`http://127.0.0.1:${ports[0]?.[1]}`).get('/skill.md').expect(200);
    const shown = replaced(
      text,
      ports.map(([port, real]) => [real, port] as const),
    );
    await follow(shown, ownerOf('skill.md'));
  });

  it.each(GUIDES)('%s: a block that does not run says why', (guide) => {
    const reasons = blocksOf(textOf(guide)).flatMap(({ language, info }) =>
      language === 'sh' && info !== '' ? [/^no-test=(\w+)$/.exec(info)?.[1] ?? info] : [],
    );
    expect(reasons.filter((reason) => !Object.hasOwn(REASONS, reason))).toEqual([]);
  });

  // The commands of the guide have sent it.
  it('docs/mail.md: the mail is as it shows', async () => {
    const shown = blocksOf(textOf('docs/mail.md')).find(({ language }) => language === 'mail')?.text ?? '';
    const subject = /^Subject: (.*)$/m.exec(shown)?.[1];
    const mail = await vi.waitFor(
      () => {
        const mails = mailServer.received.map(({ raw }) => readMail(raw));
        const found = mails.find(({ headers }) => headerOf(headers, 'Subject') === subject);
        if (!found) throw new Error(`There is no mail about ${subject}`);
        return found;
      },
      { timeout: 240_000 },
    );
    const headers = ['Subject', 'Reply-To', 'To'].map((name) => `${name}: ${headerOf(mail.headers, name)}`);
    const received = replaced(
      [...headers, '', mail.parts[0]?.text].join('\n'),
      ports.map(([port, actual]) => [actual, port] as const),
    );
    expect(normalized(received)).toBe(normalized(shown));
  });
});
