import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CODES } from '../../src/compute/check/answer.ts';
import { loadConfig } from '../../src/config.ts';
import { SPAM_REASONS } from '../../src/db/spam/spam-submissions.ts';
import { LANGUAGES } from '../../src/lib/languages.ts';
import { RESERVED } from '../../src/lib/slugs.ts';
import { LIMITS } from '../../src/limits.ts';
import { SIZES } from '../../src/sizes.ts';
import { tour } from '../../src/start/first-run-message.ts';
import { lookUp, referenceOf } from '../support/reference.ts';
import { BASE_URL, PAGES_DOMAIN } from '../support/service.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const isThere = (path: string): boolean => existsSync(new URL(`../../${path}`, import.meta.url));

const DOCS = readdirSync(new URL('../../docs', import.meta.url)).filter((name) => name.endsWith('.md'));
const PAGES = ['README.md', 'CONTRIBUTING.md', ...DOCS.map((name) => `docs/${name}`)];

/** A page without its blocks of code. */
const proseOf = (page: string): string => read(page).replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The anchors that GitHub gives to the headings of a page. */
const anchorsOf = (page: string): string[] =>
  Array.from(proseOf(page).matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(/\s/g, '-'),
  );

describe('README.md', () => {
  const lines = read('README.md').split('\n');

  it('is short', () => {
    expect(lines.length).toBeLessThan(160);
  });

  // It deploys a file, and the message a page that is in the command.
  const [deploy = '', ...others] = tour('http://localhost:3000', '$API_KEY').split('\n');
  it.each([deploy.replace(/ -d '.*?'(?= |$)/, ' --data-binary @page.html'), ...others])(
    'has what the first start prints: %s',
    (line) => {
      expect(lines).toContain(line);
    },
  );

  it('leads to every page of docs', () => {
    expect(DOCS.filter((name) => !read('README.md').includes(`(docs/${name})`))).toEqual([]);
  });
});

describe.each(PAGES)('%s', (page) => {
  const prose = proseOf(page);

  it('has links that lead somewhere', () => {
    const links = Array.from(prose.matchAll(/\]\((?!https?:)([^)\s]+)\)/g), ([, link = '']) => link);
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : posix.join(posix.dirname(page), path);
      if (!isThere(target)) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('begins with a command, before any table', () => {
    const text = read(page);
    expect(text.search(/^```sh/m)).toBeGreaterThan(0);
    expect(text.search(/^```sh/m)).toBeLessThan(text.search(/^\||$(?![\s\S])/m));
  });

  it('has its code in fenced blocks', () => {
    expect(prose.match(/^ {4}\S.*(?<!\|)$/gm) ?? []).toEqual([]);
  });

  it('names files that are there', () => {
    const paths = Array.from(
      read(page).matchAll(/(?<![\w./-])(?:src|test|docs|migrations|bench|deploy)\/[\w./-]*\w\/?/g),
      ([path]) => path,
    );
    // CONTRIBUTING.md has examples, which add notes.
    expect(paths.filter((path) => !isThere(path) && !/\bnotes\b/.test(path))).toEqual([]);
  });
});

describe('limits', () => {
  const kib = (bytes: number): string => `${bytes / 1024} KiB`;
  const s = (ms: number): string => `${ms / 1_000} s`;
  const inWords = (text: string): string => text.replaceAll(/\s+/g, ' ');

  it.each([
    ['docs/getting-started.md', `the database has only its hash and its first ${SIZES.apiKey.prefixChars} characters`],
    ['docs/getting-started.md', `(1 to ${SIZES.apiKey.maxNameChars} characters`],
    ['docs/getting-started.md', `at most ${SIZES.apiKey.maxOfOwner.toLocaleString('en')} keys`],
    ['docs/live.md', `as many seconds as \`wait\` says (at most ${SIZES.live.maxWaitSeconds})`],
    ['docs/live.md', `${SIZES.live.maxWaitingOfOwner.toLocaleString('en')} requests of one owner may wait at a time`],
    ['docs/live.md', `the last ${SIZES.statistics.defaultDays} days`],
    ['docs/live.md', `at most ${SIZES.statistics.maxBuckets.toLocaleString('en')} buckets`],
    ['docs/getting-started.md', `These are reserved: ${RESERVED.join(', ')}, and`],
    [
      'docs/forms.md',
      `| Submissions of a deployment | ${SIZES.submissionRate.max} in any ${SIZES.submissionRate.seconds} seconds |`,
    ],
    ['docs/forms.md', `| \`max_submissions\` | 1 to ${SIZES.settings.maxSubmissions.toLocaleString('en')}.`],
    ['docs/forms.md', `| Up to ${SIZES.settings.maxClosedMessageChars.toLocaleString('en')} characters: the \`error\``],
    ['docs/settings.md', `10 to ${SIZES.submissionRate.maxOfOperator.toLocaleString('en')}; forms`],
    ['docs/forms.md', `| Fields, files among them | ${SIZES.submission.maxFields.toLocaleString('en')} |`],
    ['docs/forms.md', `| Files | ${SIZES.submission.maxFiles}, each of`],
    [
      'docs/forms.md',
      `| A body over ${kib(SIZES.body.smallBytes)} | At least ${kib(SIZES.body.paceBytes)} in ${s(SIZES.body.paceMs)} |`,
    ],
    ['docs/forms.md', `It has 1 to ${SIZES.idempotencyKey.maxKeyChars} characters`],
    ['docs/forms.md', `A key is remembered for ${SIZES.idempotencyKey.lifetimeHours} hours`],
    ['docs/mail.md', `Send up to ${SIZES.recipient.maxOfDeployment} addresses`],
    ['docs/mail.md', `| Recipients of a page | ${SIZES.recipient.maxOfDeployment} |`],
    [
      'docs/mail.md',
      `(up to ${SIZES.confirmation.maxSubjectChars} characters) and \`text\` (up to ${SIZES.confirmation.maxTextChars.toLocaleString('en')})`,
    ],
    ['docs/mail.md', `for ${SIZES.confirmation.refusedDays} days to an address`],
    ['docs/mail.md', `| The link works | ${SIZES.links.confirmationDays} days.`],
    ['docs/mail.md', `asked again, ${SIZES.recipient.askHours} hours after`],
    ['docs/mail.md', `| ${SIZES.recipient.maxAsks} mails that ask, in ${SIZES.recipient.askHours} hours,`],
    [
      'docs/mail.md',
      `| Submissions in a mail | ${SIZES.digest.maxListed}, of ${SIZES.digest.maxListedBytes / 1024 ** 2} MiB together |`,
    ],
    ['docs/mail.md', `A mail lists ${SIZES.digest.maxListed} submissions at most`],
    ['docs/mail.md', `When the mail server refuses ${SIZES.recipient.maxRefusals} mails in a row`],
    [
      'docs/spam.md',
      `| Spam that a deployment keeps | The last ${SIZES.spam.max.toLocaleString('en')}, each for ${SIZES.spam.lifetimeDays} days |`,
    ],
    [
      'docs/spam.md',
      `| Spam that a deployment keeps in any ${SIZES.spam.rateSeconds} seconds | ${SIZES.spam.rateMax};`,
    ],
    ['docs/spam.md', `It is valid for ${SIZES.captcha.challengeMinutes} minutes`],
    [
      'docs/spam.md',
      `Up to ${SIZES.settings.maxBlocked} words or phrases, each of at most ${SIZES.settings.maxBlockedChars} characters`,
    ],
    ['docs/spam.md', `That takes ${s(LIMITS.spam.providerTimeoutMs)} at most`],
    ...SPAM_REASONS.map((reason): [string, string] => ['docs/spam.md', `| \`${reason}\` |`]),
    ['docs/mail.md', `| How long a link works | ${SIZES.links.fileDays} days`],
    ['docs/mail.md', `| All fields of a mail | ${kib(SIZES.mail.maxFieldsBytes)} of HTML |`],
    ['docs/mail.md', `| A value | ${SIZES.mail.maxValueChars.toLocaleString('en')} characters |`],
    ['docs/mail.md', `| A name | ${SIZES.mail.maxNameChars} characters |`],
    ['docs/mail.md', `| Objects and lists in each other | ${SIZES.mail.maxLevels} levels |`],
    ['docs/forms.md', `The page's \`<html lang>\`, in its first ${kib(SIZES.page.startBytes)}`],
    ...LANGUAGES.map((language): [string, string] => ['docs/forms.md', ` (\`${language}\``]),
    ['docs/check.md', `A label is cut at ${SIZES.check.maxTextChars} characters`],
    ['docs/check.md', `first ${SIZES.check.maxLabels.toLocaleString('en')} names of a page have labels`],
    [
      'docs/check.md',
      `At most ${SIZES.check.maxProblemsPerCode} problems of each code are returned, and ${SIZES.check.maxForms.toLocaleString('en')} forms`,
    ],
    ...CODES.map((code): [string, string] => ['docs/check.md', `| \`${code}\` | `]),
    ['docs/webhooks.md', `At most ${kib(SIZES.webhook.maxAnswerBytes)} of the answer's body are read`],
    ['docs/operations.md', `| An idle kept-alive connection | ${s(LIMITS.server.keepAliveMs)} |`],
    [
      'docs/operations.md',
      `| A response of which a client reads less than ${kib(LIMITS.server.readingPaceBytes)} | ${s(LIMITS.server.readingPaceMs)} |`,
    ],
    [
      'docs/operations.md',
      `| A request or a response without progress; a connection whose files are being stored | ${s(LIMITS.server.progressTimeoutMs)};`,
    ],
    ['docs/operations.md', `| ${LIMITS.requests.memoryBudgetBytes / 1024 ** 2} MiB, or four times`],
  ])('%s has what the code has: %s', (page, sentence) => {
    expect(inWords(read(page))).toContain(sentence);
  });
});

describe('docs/api.md', () => {
  it('lists the errors of the reference, and of routes that are not there', () => {
    const reference = referenceOf(loadConfig({ BASE_URL, PAGES_DOMAIN }));
    const documented = Object.entries(reference.paths ?? {}).flatMap(([path, methods]) =>
      Object.keys(methods).flatMap((method) =>
        Object.keys(lookUp(reference, 'paths', path, method, 'responses').value ?? {}),
      ),
    );
    const [, order = ''] = /^Checks run in this order:([\s\S]*?)\n(?=[^|\n])/m.exec(read('docs/api.md')) ?? [];
    const rows = order.matchAll(/^\| (\d{3}(?:, \d{3})*) \|/gm);
    const listed = Array.from(rows, ([, cell = '']) => cell.split(', ')).flat();
    const errors = [...documented.filter((status) => status >= '400'), '405', '417', '451'];
    expect([...new Set(listed)].toSorted()).toEqual([...new Set(errors)].toSorted());
  });
});

describe('docs/dependencies.md', () => {
  it('names each dependency once, and no other', () => {
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json'));
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
    const rows = read('docs/dependencies.md').matchAll(/^\| ([^|]+) \|/gm);
    const documented = Array.from(rows, ([, cell = '']) => cell.trim().split(', '))
      .flat()
      .filter((name) => !['Package', '---'].includes(name));
    const matches = (name: string, pattern: string) =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
    expect(documented.filter((name, index) => documented.indexOf(name) !== index)).toEqual([]);
    expect(names.filter((name) => !documented.some((pattern) => matches(name, pattern)))).toEqual([]);
    expect(documented.filter((pattern) => !names.some((name) => matches(name, pattern)))).toEqual([]);
  });
});
