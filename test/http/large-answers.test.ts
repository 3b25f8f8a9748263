import { beforeAll, describe, expect, it } from 'vitest';
import { testService } from '../support/test-service.ts';

const service = await testService();
const owner = await service.owner();

/** The text of an answer, as it came. */
async function textOf(path: string): Promise<{ status: number; type: string | null; text: string }> {
  const response = await fetch(service.url + path, { headers: { Authorization: `Bearer ${owner.key}` } });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

const JSON_ANSWER = { status: 200, type: 'application/json; charset=utf-8' };

describe('a page of submissions that is too large to be read at once', () => {
  /** Small and large ones in turn: what JSON keeps of them differs from what a parser would make of it. */
  const texts = [
    '{"a":1.10}',
    `{"b":"${'x'.repeat(200_000)}"}`,
    '{"c":"\\u00e9 é 😀"}',
    `{"d":"${'\\u0041'.repeat(200_000)}"}`,
    `{"e":"${'é😀'.repeat(40_000)}"}`,
    '{"f":12345678901234567890}',
    '{"f":1,"f":2}',
    `{"g":["${'y'.repeat(250_000)}"]}`,
    '{}',
  ];
  let id: string;
  let ids: string[];
  beforeAll(async () => {
    ({ id } = await owner.deploy());
    ids = [];
    for (const text of texts) {
      const { body } = await owner.post(`/submit/${id}`).type('json').send(text).expect(200);
      ids.push(body.id);
    }
  });

  const single = async (submissionId: string): Promise<string> =>
    (await textOf(`/submissions/${id}/${submissionId}`)).text;

  it.each([
    [1, 5],
    [3, 1],
    [2, 9],
  ])('is whole, newest first, each text as it was sent: page %i of %i', async (page, limit) => {
    const wanted = ids.toReversed().slice((page - 1) * limit, page * limit);
    const items = await Promise.all(wanted.map(single));
    const text = `{"submissions":[${items.join(',')}],"total":${ids.length},"page":${page},"limit":${limit}}`;
    expect(await textOf(`/submissions/${id}?page=${page}&limit=${limit}`)).toEqual({ ...JSON_ANSWER, text });
  });

  it('has the texts that were sent', async () => {
    const { text } = await textOf(`/submissions/${id}?limit=100`);
    expect(texts.filter((sent) => !text.includes(`"data":${sent},"ip_address"`))).toEqual([]);
  });
});

describe('a large page', () => {
  // Characters of one to four bytes, so that some stand across wherever it is cut.
  const html = `<p>${'aé€😀"\\\n\u0000\u2028'.repeat(40_000)}\uFEFF`;

  it('is given back as it was sent', async () => {
    const { id } = await owner.deploy({ html });
    expect(await textOf(`/deploy/${id}/html`)).toEqual({ ...JSON_ANSWER, text: JSON.stringify({ html }) });
  });
});
