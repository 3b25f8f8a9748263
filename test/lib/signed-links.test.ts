import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fileLinkExpiry, type LinkedFile, SignedLinks } from '../../src/lib/signed-links.ts';
import { SIZES } from '../../src/sizes.ts';

const SECRET = Buffer.from('0123456789abcdef0123456789abcdef');
const FILE: LinkedFile = { deploymentId: 'd_1', submissionId: 'sub_2', fileId: 'file_3' };
const NOW = new Date('2026-11-22T16:04:00.000Z');
const links = new SignedLinks('https://forms.test', SECRET);

/** The text behind the question mark. */
const queryOf = (url: string): string => url.slice(url.indexOf('?') + 1);
const EXPIRES = new Date(NOW.getTime() + 60_000);
const FILE_URL = links.file(FILE, EXPIRES);
const QUERY = queryOf(FILE_URL);
const UNSUBSCRIBE = queryOf(links.unsubscribe('d_1'));

function at(time: Date): void {
  vi.useFakeTimers({ now: time, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('a link to a file', () => {
  it('names the file, its expiry and a signature', () => {
    expect(FILE_URL).toMatch(
      /^https:\/\/forms\.test\/files\/d_1\/sub_2\/file_3\?expires=1795363500&signature=[\w-]{43}$/,
    );
  });

  it('works until it expires, and not from then on', () => {
    at(new Date(EXPIRES.getTime() - 1));
    expect(links.checkFile(FILE, QUERY)).toBe('valid');
    at(EXPIRES);
    expect(links.checkFile(FILE, QUERY)).toBe('expired');
  });

  it('works in each process, and with no other secret', () => {
    at(NOW);
    expect(new SignedLinks('https://other.test', Buffer.from(SECRET)).checkFile(FILE, QUERY)).toBe('valid');
    expect(new SignedLinks('https://forms.test', Buffer.alloc(32)).checkFile(FILE, QUERY)).toBe('wrong');
  });

  it('expires after seven days, at the next whole minute', () => {
    expect([
      SIZES.links.fileDays,
      fileLinkExpiry(NOW).toISOString(),
      fileLinkExpiry(new Date(NOW.getTime() + 1)).toISOString(),
    ]).toEqual([7, '2026-11-29T16:04:00.000Z', '2026-11-29T16:05:00.000Z']);
  });

  const signature = /signature=(.*)/.exec(QUERY)?.[1] ?? '';
  /** The twin has the same 32 bytes in other characters: the last character has two bits that mean nothing. */
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const twin = signature.slice(0, -1) + ALPHABET.charAt(ALPHABET.indexOf(signature.slice(-1)) ^ 1);
  it.each([
    ['no query', ''],
    ['no signature', 'expires=1795363500'],
    ['an empty signature', 'expires=1795363500&signature='],
    ['no expiry', `signature=${signature}`],
    ['a later expiry', QUERY.replace('=17', '=27')],
    ['an expiry with a zero before it', QUERY.replace('=17', '=017')],
    ['an expiry with a blank', QUERY.replace('=17', '=+17')],
    ['an expiry that is no number', QUERY.replace('1795363500', 'NaN')],
    ['two expiries', `${QUERY}&expires=1795363500`],
    ['two signatures', `${QUERY}&signature=${signature}`],
    ['a signature that is cut', QUERY.slice(0, -1)],
    ['a longer signature', `${QUERY}A`],
    ['padding', `${QUERY}=`],
    ['upper case', QUERY.toUpperCase().replace('EXPIRES', 'expires').replace('SIGNATURE', 'signature')],
    ['lower case', QUERY.toLowerCase()],
    ['another last character of the same bytes', `expires=1795363500&signature=${twin}`],
    ['another character', QUERY.replace(signature, signature.slice(1) + signature.slice(0, 1))],
    ['a character that is not ASCII', QUERY.replace(signature, `é${signature.slice(1)}`)],
    ['a link of another kind', `expires=1795363500&${UNSUBSCRIBE}`],
    ['a long signature', `expires=1795363500&signature=${'A'.repeat(15_000)}`],
  ])('does not work with %s', (_kind, query) => {
    at(NOW);
    expect(Buffer.from(twin, 'base64url')).toEqual(Buffer.from(signature, 'base64url'));
    expect(links.checkFile(FILE, query)).toBe('wrong');
  });

  it.each<Partial<LinkedFile>>([
    { deploymentId: 'd_2' },
    { submissionId: 'sub_1' },
    { fileId: 'file_1' },
    { deploymentId: '', submissionId: 'd_1sub_2' },
    { deploymentId: 'sub_2', submissionId: 'd_1' },
    { fileId: 'file_3","1795363500' },
  ])('does not work for %j', (other) => {
    at(NOW);
    expect(links.checkFile({ ...FILE, ...other }, QUERY)).toBe('wrong');
  });

  it('works with what trackers add to links', () => {
    at(NOW);
    expect(links.checkFile(FILE, `utm_source=x&${QUERY}&utm_medium=mail`)).toBe('valid');
  });
});

describe('a link that unsubscribes', () => {
  it('works for its deployment, for ever', () => {
    at(new Date('2126-01-01T00:00:00.000Z'));
    expect(links.unsubscribe('d_1')).toMatch(/^https:\/\/forms\.test\/unsubscribe\/d_1\?signature=[\w-]{43}$/);
    expect(links.isUnsubscribe('d_1', UNSUBSCRIBE)).toBe(true);
  });

  it.each([
    ['another deployment', 'd_2', UNSUBSCRIBE],
    ['no signature', 'd_1', ''],
    ['two signatures', 'd_1', `${UNSUBSCRIBE}&${UNSUBSCRIBE}`],
    ['a signature that is cut', 'd_1', UNSUBSCRIBE.slice(0, -1)],
    ['upper case', 'd_1', `signature=${UNSUBSCRIBE.slice(10).toUpperCase()}`],
    ['a link of another kind', 'd_1', QUERY],
  ])('does not work with %s', (_kind, deploymentId, query) => {
    expect(links.isUnsubscribe(deploymentId, query)).toBe(false);
  });
});

it('a link works for no other purpose, whose ids are the same', () => {
  const ids = { deploymentId: 'd_1', submissionId: 'sub_2' };
  const query = queryOf(links.spam(ids));
  expect([links.isSpam(ids, query), links.isUnsubscribe('d_1', query, 'sub_2')]).toEqual([true, false]);
});
