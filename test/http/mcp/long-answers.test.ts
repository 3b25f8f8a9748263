import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { boundedAnswer } from '../../../src/http/mcp/bounded-answer.ts';
import { SIZES } from '../../../src/sizes.ts';
import { startAgent, textsOf } from '../../support/agent.ts';
import { testService } from '../../support/test-service.ts';

/*
 * Answers that are too long for a model: they stay under a number of characters, and nothing of a list is lost.
 */

const { listChars, minListChars, maxAnswerChars } = SIZES.mcp;

const service = await testService();
const owner = await service.owner();
const { call, answerOf } = await startAgent(service.url, owner.key);

/** A page with these submissions, oldest first. */
async function pageWith(...bodies: string[]): Promise<string> {
  const { id } = await owner.deploy();
  for (const body of bodies) await service.submit(id, body);
  return id;
}

/** The items of all answers of a list, each of which has fewer characters than `chars`, and how many answers there were. */
async function readAll(name: string, args: object, chars: number): Promise<{ items: unknown[]; answers: number }> {
  const items: unknown[] = [];
  let answers = 0;
  let next: unknown;
  do {
    const result = await call(name, { ...args, ...(typeof next === 'string' && { next }) });
    expect(textsOf(result).join('').length).toBeLessThan(chars);
    const { submissions, next: following } = JSON.parse(textsOf(result).at(-1) ?? '');
    items.push(...submissions);
    answers += 1;
    // wait_for_submission has no end.
    next = submissions.length > 0 ? following : null;
  } while (next !== null);
  return { items, answers };
}

describe('boundedAnswer', () => {
  /** A list of the API, and what was asked of it. */
  function list(items: readonly string[]) {
    const asked: unknown[] = [];
    const ask = async ({ page, limit }: Readonly<Record<string, unknown>>): Promise<string> => {
      asked.push({ page, limit });
      const from = (Number(page) - 1) * Number(limit);
      return JSON.stringify({ items: items.slice(from, from + Number(limit)), total: items.length, page, limit });
    };
    return { ask, asked };
  }
  /** The items of all answers from a place on. */
  async function follow(items: readonly string[], start: object): Promise<string[]> {
    const { ask } = list(items);
    const found: string[] = [];
    let input: object = start;
    for (;;) {
      const text = await boundedAnswer(ask, { max_chars: minListChars, ...input }, true);
      expect(text.length).toBeLessThan(minListChars);
      const answer = JSON.parse(text);
      found.push(...answer.items);
      if (answer.next === null) return found;
      input = Object.fromEntries(new URLSearchParams(answer.next));
    }
  }

  it.each([
    [{}, 0],
    [{ limit: 100 }, 0],
    [{ limit: 7 }, 0],
    [{ page: 2, limit: 50 }, 50],
    [{ page: '3', limit: '12' }, 24],
  ])('has each item once and in order, from %j on', async (start, from) => {
    const items = Array.from({ length: 130 }, (_, index) => `${index} `.padEnd(10 + ((index * 37) % 190), '.'));
    expect(await follow(items, start)).toEqual(items.slice(from));
  });

  it('asks once where all fits, and changes nothing', async () => {
    const { ask, asked } = list(['one', 'two']);
    const text = await boundedAnswer(ask, {}, true);
    expect(text).toBe('{"items":["one","two"],"total":2,"page":1,"limit":50,"next":null}');
    expect(asked).toEqual([{ page: 1, limit: 50 }]);
  });

  it('has fewer items where an answer is longer than any may be', async () => {
    const ask = async ({ limit }: Readonly<Record<string, unknown>>) =>
      Number(limit) > 5 ? undefined : JSON.stringify({ items: [], total: 50, page: 1, limit });
    expect(JSON.parse(await boundedAnswer(ask, {}, true))).toEqual({
      ...{ items: [], total: 50, page: 1, limit: 5, next: 'page=2&limit=5' },
    });
  });

  it.each(['a', 'ab'])('cuts no character in two, after %j', async (start) => {
    const text = start + '😀'.repeat(2_000);
    const { text: cut } = JSON.parse(
      await boundedAnswer(async () => JSON.stringify({ text }), { max_chars: 3_000 }, false),
    );
    expect(cut.isWellFormed()).toBe(true);
    const [shown = '', left] = cut.split('… [');
    expect(text.startsWith(shown)).toBe(true);
    expect(shown.length + Number.parseInt(left, 10)).toBe(text.length);
  });

  it('cuts strings only, and no text between them', async () => {
    const numbers = `[${'1.10,'.repeat(250)}12345678901234567890]`;
    const json = (text: string) => `{"a\\"":${numbers},"b":${JSON.stringify(text)},"c":"\\\\"}`;
    const answered = await boundedAnswer(async () => json('"\\é😀'.repeat(500)), { max_chars: 3_000 }, false);
    const [, cut = ''] = /,"b":(".*"),"c"/.exec(answered) ?? [];
    expect(answered).toBe(json(JSON.parse(cut)));
    const [, shown = '', left] =
      /^(.*)… \[(\d+) characters left out: a larger max_chars has them\]$/.exec(JSON.parse(cut)) ?? [];
    expect('"\\é😀'.repeat(500).startsWith(shown)).toBe(true);
    expect(shown.length + Number(left)).toBe(2_500);
  });
});

/** So many names of fields with so many characters. */
const names = (count: number, chars: number): string[] =>
  Array.from({ length: count }, (_, index) => String(index).padStart(chars, 'n'));

describe('a list that is too long', () => {
  const value = 'x'.repeat(700);

  it.each(['list_submissions', 'search_submissions', 'wait_for_submission'])(
    '%s has it in several answers of less than 25,000 characters',
    async (name) => {
      const id = await pageWith(...Array.from({ length: 50 }, (_, n) => JSON.stringify({ n, a: value })));
      const { body } = await owner.get(`/submissions/${id}`);
      const expected = name === 'wait_for_submission' ? body.submissions.toReversed() : body.submissions;
      const { items, answers } = await readAll(
        name,
        { id, ...(name === 'wait_for_submission' && { wait: 0 }) },
        listChars,
      );
      expect(items).toMatchObject(expected);
      expect(answers).toBeGreaterThan(1);
      const { items: few } = await readAll(
        name,
        { id, limit: 6, max_chars: 4_000, ...(name === 'wait_for_submission' && { wait: 0 }) },
        4_000,
      );
      expect(few).toMatchObject(expected);
      expect((await answerOf(name, { id, max_chars: 100_000 })).submissions).toMatchObject(expected);
    },
  );

  it('has long values cut, and the others as they were submitted', async () => {
    const long = JSON.stringify({ name: 'Ada', message: 'm'.repeat(30_000) });
    const id = await pageWith(...Array.from({ length: 4 }, () => long), '{"n":12345678901234567890,"n":1.10}');
    const result = await call('list_submissions', { id });
    const text = textsOf(result).at(-1) ?? '';
    expect(text).toContain('{"n":12345678901234567890,"n":1.10}');
    const { submissions, next } = JSON.parse(text);
    expect([submissions.length, next]).toEqual([5, null]);
    expect(submissions[1].data).toEqual({
      name: 'Ada',
      message: expect.stringMatching(/^m+… \[\d+ characters left out: a larger max_chars has them\]$/),
    });
    const { data } = await answerOf('get_submission', { id, submission_id: submissions[1].id });
    expect(data).toEqual(JSON.parse(long));
    const whole = await answerOf('list_submissions', { id, max_chars: 200_000 });
    expect(whole.submissions[1].data).toEqual(JSON.parse(long));
  });

  it('has all submissions, however long together', async () => {
    const large = JSON.stringify({ x: 'x'.repeat(250 * 1_024) });
    const count = Math.ceil(maxAnswerChars / large.length) + 1;
    const id = await pageWith(...Array.from({ length: count }, () => large));
    expect((await readAll('list_submissions', { id }, listChars)).items.length).toBe(count);
  });

  it.each<[string, number, object]>([
    ['many short fields', 700, Object.fromEntries(names(700, 5).map((name) => [name, 'v'.repeat(35)]))],
    ['many long fields', 900, Object.fromEntries(names(900, 20).map((name) => [name, 'v'.repeat(250)]))],
    ['long names', 900, Object.fromEntries(names(900, 250).map((name) => [name, '']))],
  ])('has the first members of a submission with %s, and goes on after it', async (_case, count, data) => {
    const id = await pageWith('{"n":1}', JSON.stringify(data), '{"n":2}');
    for (const [name, args] of [
      ['list_submissions', {}],
      ['search_submissions', {}],
      ['wait_for_submission', { wait: 0 }],
    ] as const) {
      const { items } = await readAll(name, { id, ...args, max_chars: 20_000 }, 20_000);
      expect(items.length).toBe(3);
      expect(items).toEqual(expect.arrayContaining([1, 2].map((n) => expect.objectContaining({ data: { n } }))));
      const [, shown] = z.array(z.looseObject({ data: z.record(z.string(), z.unknown()) })).parse(items);
      const { '…': mark, ...kept } = shown?.data ?? {};
      const left = count - Object.keys(kept).length;
      expect(mark).toBe(`[${left} members left out: a larger max_chars has them]`);
      expect(Object.entries(data).slice(0, count - left)).toEqual(Object.entries(kept));
      expect(Object.keys(kept).length).toBeGreaterThan(20);
    }
    const [, { data: whole }] = (await answerOf('list_submissions', { id, max_chars: maxAnswerChars })).submissions;
    expect(whole).toEqual(data);
  });

  it('has an item with long lists, or many levels, cut as well', async () => {
    const levels = 95;
    const deep = `${'{"one":1,"two":['.repeat(levels / 2)}${'"x",'.repeat(9_000)}"y"${']}'.repeat(levels / 2)}`;
    const numbers = JSON.stringify({ numbers: Array.from({ length: 20_000 }, () => 1) });
    const digits = `{"digits":${'1'.repeat(100_000)}}`;
    const id = await pageWith(deep, numbers, digits);
    const { items } = await readAll('list_submissions', { id, max_chars: minListChars }, minListChars);
    expect(items).toMatchObject([
      { data: { digits: expect.stringMatching(/^1+… \[\d+ characters left out/) } },
      { data: { numbers: expect.arrayContaining([1, expect.stringMatching(/^… \[\d+ items left out/)]) } },
      { data: { one: 1, two: [{ one: 1, two: [{ one: 1 }] }] } },
    ]);
    expect((await answerOf('list_submissions', { id, max_chars: 250_000 })).submissions[1].data).toEqual(
      JSON.parse(numbers),
    );
  });

  it('of files has the first of them', async () => {
    const files = Object.fromEntries(names(450, 200).map((name) => [`${name}.css`, '']));
    const { id } = await owner.deploy({ html: '<p>', files });
    const { files: shown, ...rest } = await answerOf('list_files', { id });
    expect(JSON.stringify({ files: shown, ...rest }).length).toBeLessThan(listChars);
    expect(shown.at(-1)).toBe(`… [${452 - shown.length} items left out: a larger max_chars has them]`);
    const { body } = await owner.get(`/deploy/${id}/files`);
    expect(shown.slice(0, -1)).toEqual(body.files.slice(0, shown.length - 1));
    expect(await answerOf('list_files', { id, max_chars: 500_000 })).toEqual(body);
  });

  it('of numbers has the first hours', async () => {
    const { id } = await owner.deploy();
    const args = { id, by: 'hour', from: '2026-01-01', to: '2026-02-11' };
    const { buckets, total } = await answerOf('get_stats', args);
    expect(buckets.at(-1)).toBe(`… [${985 - buckets.length} items left out: a larger max_chars has them]`);
    expect([buckets[0].submissions, total]).toEqual([0, 0]);
    expect((await answerOf('get_stats', { ...args, max_chars: 100_000 })).buckets.length).toBe(984);
  });

  it('says how to go on after an item that is longer than any answer', async () => {
    const ask = async () => undefined;
    const tooLong = 'The answer has more than 2097152 characters: read it over the HTTP API';
    await expect(boundedAnswer(ask, { page: 2, limit: 3 }, true)).rejects.toThrow(
      `${tooLong}, and go on after it with next "page=5&limit=1".`,
    );
    await expect(boundedAnswer(ask, { cursor: '0' }, true)).rejects.toThrow(`${tooLong}.`);
  });

  it('of webhooks has all of them, with shorter addresses', async () => {
    const { id } = await owner.deploy();
    const urls = Array.from({ length: 20 }, (_, n) => `https://example.org/${n}/${'x'.repeat(1_900)}`);
    for (const url of urls) await owner.post(`/webhooks/${id}`).send({ url }).expect(201);
    const result = await call('list_webhooks', { id });
    expect(textsOf(result).join('').length).toBeLessThan(listChars);
    const { webhooks } = await answerOf('list_webhooks', { id });
    expect(webhooks.map(({ url }: { url: string }) => url.slice(0, 30))).toEqual(urls.map((url) => url.slice(0, 30)));
  });
});

it('a long file is cut', async () => {
  const { id } = await owner.deploy();
  const form = new FormData();
  form.append('cv', new File(['x'.repeat(60_000)], 'cv.txt'));
  await fetch(`${service.url}/submit/${id}`, { method: 'POST', body: form });
  const [{ id: submission_id, data }] = (await answerOf('list_submissions', { id })).submissions;
  const args = { id, submission_id, file_id: data.cv.url.split('/').at(-1) };
  expect((await answerOf('read_file', args)).text).toMatch(/^x{10000,24000}… \[\d+ characters left out/);
  expect((await answerOf('read_file', { ...args, max_chars: 100_000 })).text).toBe('x'.repeat(60_000));
});
