import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CODES, MAX_FORMS, MAX_LABELS, MAX_PROBLEMS_PER_CODE, MAX_TEXT_CHARS } from '../../src/compute/check/answer.ts';
import { loadConfig } from '../../src/config.ts';
import { MAX_KEY_NAME_CHARS, MAX_KEYS, PREFIX_CHARS } from '../../src/db/api-keys.ts';
import { MAX_LISTED, MAX_LISTED_BYTES } from '../../src/db/digests.ts';
import { KEY_HOURS } from '../../src/db/idempotency-keys.ts';
import { MAX_REFUSALS } from '../../src/db/mail-failures.ts';
import { ASK_HOURS, MAX_ASKS, MAX_RECIPIENTS } from '../../src/db/mail-recipients.ts';
import {
  MAX_SPAM,
  SPAM_DAYS,
  SPAM_RATE_LIMIT,
  SPAM_RATE_SECONDS,
  SPAM_REASONS,
} from '../../src/db/spam-submissions.ts';
import { RATE_LIMIT, RATE_SECONDS } from '../../src/db/store-submissions.ts';
import { MAX_FIELDS_BYTES, MAX_LEVELS, MAX_NAME_CHARS, MAX_VALUE_CHARS } from '../../src/delivery/mail-fields.ts';
import { MAX_BODY_BYTES } from '../../src/delivery/send-webhook.ts';
import { ASK_MS } from '../../src/delivery/siteverify.ts';
import { tour } from '../../src/first-run-message.ts';
import { LANGUAGES } from '../../src/languages.ts';
import { LIMITS, SIZES } from '../../src/limits.ts';
import { RESERVED } from '../../src/slugs.ts';
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
    expect(lines.length).toBeLessThan(150);
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
    ['docs/getting-started.md', `the database has only its hash and its first ${PREFIX_CHARS} characters`],
    ['docs/getting-started.md', `(1 to ${MAX_KEY_NAME_CHARS} characters`],
    ['docs/getting-started.md', `at most ${MAX_KEYS.toLocaleString('en')} keys`],
    ['docs/live.md', `as many seconds as \`wait\` says (at most ${SIZES.live.maxWaitSeconds})`],
    ['docs/live.md', `${SIZES.live.maxWaitingOfOwner.toLocaleString('en')} requests of one owner may wait at a time`],
    ['docs/live.md', `the last ${SIZES.statistics.defaultDays} days`],
    ['docs/live.md', `at most ${SIZES.statistics.maxBuckets.toLocaleString('en')} buckets`],
    ['docs/getting-started.md', `These are reserved: ${RESERVED.join(', ')}, and`],
    ['docs/forms.md', `| Submissions of a deployment | ${RATE_LIMIT} in any ${RATE_SECONDS} seconds |`],
    ['docs/forms.md', `| Fields, files among them | ${SIZES.submission.maxFields.toLocaleString('en')} |`],
    ['docs/forms.md', `| Files | ${SIZES.submission.maxFiles}, each of`],
    [
      'docs/forms.md',
      `| A body over ${kib(SIZES.body.smallBytes)} | At least ${kib(SIZES.body.paceBytes)} in ${s(SIZES.body.paceMs)} |`,
    ],
    ['docs/forms.md', `It has 1 to ${SIZES.submission.maxKeyChars} characters`],
    ['docs/forms.md', `A key is remembered for ${KEY_HOURS} hours`],
    ['docs/mail.md', `Send up to ${MAX_RECIPIENTS} addresses`],
    ['docs/mail.md', `| Recipients of a page | ${MAX_RECIPIENTS} |`],
    ['docs/mail.md', `| The link works | ${SIZES.links.confirmationDays} days.`],
    ['docs/mail.md', `asked again, ${ASK_HOURS} hours after`],
    ['docs/mail.md', `| ${MAX_ASKS} mails that ask, in ${ASK_HOURS} hours,`],
    ['docs/mail.md', `| Submissions in a mail | ${MAX_LISTED}, of ${MAX_LISTED_BYTES / 1024 ** 2} MiB together |`],
    ['docs/mail.md', `A mail lists ${MAX_LISTED} submissions at most`],
    ['docs/mail.md', `When the mail server refuses ${MAX_REFUSALS} mails in a row`],
    [
      'docs/spam.md',
      `| Spam that a deployment keeps | The last ${MAX_SPAM.toLocaleString('en')}, each for ${SPAM_DAYS} days |`,
    ],
    ['docs/spam.md', `| Spam that a deployment keeps in any ${SPAM_RATE_SECONDS} seconds | ${SPAM_RATE_LIMIT};`],
    ['docs/spam.md', `It is valid for ${SIZES.captcha.challengeMinutes} minutes`],
    [
      'docs/spam.md',
      `Up to ${SIZES.settings.maxBlocked} words or phrases, each of at most ${SIZES.settings.maxBlockedChars} characters`,
    ],
    ['docs/spam.md', `That takes ${s(ASK_MS)} at most`],
    ...SPAM_REASONS.map((reason): [string, string] => ['docs/spam.md', `| \`${reason}\` |`]),
    ['docs/mail.md', `| How long a link works | ${SIZES.links.fileDays} days`],
    ['docs/mail.md', `| All fields of a mail | ${kib(MAX_FIELDS_BYTES)} of HTML |`],
    ['docs/mail.md', `| A value | ${MAX_VALUE_CHARS.toLocaleString('en')} characters |`],
    ['docs/mail.md', `| A name | ${MAX_NAME_CHARS} characters |`],
    ['docs/mail.md', `| Objects and lists in each other | ${MAX_LEVELS} levels |`],
    ['docs/forms.md', `The page's \`<html lang>\`, in its first ${kib(SIZES.page.startBytes)}`],
    ...LANGUAGES.map((language): [string, string] => ['docs/forms.md', ` (\`${language}\``]),
    ['docs/check.md', `A label is cut at ${MAX_TEXT_CHARS} characters`],
    ['docs/check.md', `first ${MAX_LABELS.toLocaleString('en')} names of a page have labels`],
    [
      'docs/check.md',
      `At most ${MAX_PROBLEMS_PER_CODE} problems of each code are answered, and ${MAX_FORMS.toLocaleString('en')} forms`,
    ],
    ...CODES.map((code): [string, string] => ['docs/check.md', `| \`${code}\` | `]),
    ['docs/webhooks.md', `At most ${kib(MAX_BODY_BYTES)} of the answer's body are read`],
    ['docs/operations.md', `| An idle kept-alive connection | ${s(LIMITS.server.keepAliveMs)} |`],
    [
      'docs/operations.md',
      `| An answer of which a client reads less than ${kib(LIMITS.server.readingPaceBytes)} | ${s(LIMITS.server.readingPaceMs)} |`,
    ],
    [
      'docs/operations.md',
      `| A request or an answer without progress; a connection whose files are being stored | ${s(LIMITS.server.progressTimeoutMs)};`,
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
