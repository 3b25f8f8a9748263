import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectTexts, stringTexts } from '../../support/json-texts.ts';
import { testService } from '../../support/test-service.ts';

const RUNS = { numRuns: 5, interruptAfterTimeLimit: 10_000 };
const PER_DEPLOYMENT = 10;

const service = await testService();
const owner = await service.owner();

/** Submits one to ten JSON texts to a new deployment; the text of the data that the list then has for each. */
async function roundTrip(texts: readonly string[]): Promise<string[]> {
  const deployment = await owner.deploy();
  const ids: string[] = [];
  for (const text of texts) {
    const { body } = await service.anonymous.post(`/submit/${deployment.id}`).type('json').send(text).expect(200);
    ids.unshift(body.id);
  }
  const { text } = await owner.get(`/submissions/${deployment.id}`);
  return dataTexts(text, ids).reverse();
}

/** Cuts the data out of a list's answer, between the ids that are known: reading it as JSON would change it. */
function dataTexts(list: string, ids: readonly string[]): string[] {
  const starts = ids.map((id) => list.indexOf(`{"id":"${id}","data":`));
  const ends = [...starts.slice(1).map((start) => start - ','.length), list.lastIndexOf('],"total":')];
  return ids.map((id, index) => {
    const item = list.slice(starts[index], ends[index]);
    const [, data] =
      /^\{"id":"[^"]+","data":(.*),"ip_address":"127\.0\.0\.1","created_at":"[^"]+"\}$/s.exec(item) ?? [];
    return data ?? `${id} is not where it should be in ${list}`;
  });
}

/** A JSON text without the white space between its tokens, which may go. */
const compact = (text: string): string => text.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/gs, '$1');

const stringText = stringTexts('\\u0000', '\\ud800', '\\uDE00\\uD83D', '},{');
const nameText = fc.oneof(
  stringText.filter((text) => JSON.parse(text) !== '_hp'),
  fc.constantFrom('"a"', '"__proto__"', '"constructor"', '"toJSON"', '"10"', '"2"', '"-1"', '""', '"id"', '"data"'),
);
const objectText = objectTexts(nameText, stringText);

describe('GET /submissions/:deployId', () => {
  it('gives back the text of any JSON object', async () => {
    const texts = fc.array(objectText, { minLength: PER_DEPLOYMENT, maxLength: PER_DEPLOYMENT });
    await fc.assert(
      fc.asyncProperty(texts, async (sent) => {
        const received = await roundTrip(sent);
        expect(received.map(compact)).toEqual(sent.map(compact));
      }),
      RUNS,
    );
  });

  it('gives back what a parser of JSON would change', async () => {
    const texts = [
      '{"id":12345678901234567890,"min":-9223372036854775808,"odd":9007199254740993}',
      '{"price":1.10,"zero":-0,"exact":0.1000000000000000055511151231257827,"one":1.0,"exp":1E+2}',
      '{"huge":1e400,"tiny":1e-400}',
      '{"a":1,"a":2,"b":{"c":1,"c":[]},"a":1}',
      '{"nul":"\\u0000","\\u0000":1}',
      '{"high":"\\ud800","low":"\\udc00","swapped":"\\ude00\\ud83d","pair":"\\ud83d\\ude00","\\udfff":1}',
      '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toJSON":"x","hasOwnProperty":null}',
      '{"10":1,"2":2,"b":3,"1":4,"-1":5}',
      '{"escaped":"\\/\\u0041\\u00e9\\"\\\\","raw":"/Aé😀\u2028\u007f"}',
      '{"":"","a b":" "}',
      '{"submissions":[{"id":"x","data":{}}],"total":0}',
      `{"deep":${'['.repeat(99)}${']'.repeat(99)}}`,
      '{}',
    ];
    const received = await Promise.all([roundTrip(texts.slice(0, 6)), roundTrip(texts.slice(6))]);
    expect(received.flat()).toEqual(texts);
  });
});
