import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectTexts, stringTexts } from '../../support/json-texts.ts';
import { multipartBody } from '../../support/multipart.ts';
import { type Owner, startTestService, type TestService } from '../../support/service.ts';

type Field = readonly [name: string, value: string];
/** A body, and its type unless it brings its own. */
type Body = { content: string | FormData | URLSearchParams; type?: string };

const RUNS = { numRuns: 15, interruptAfterTimeLimit: 10_000 };
const PER_DEPLOYMENT = 10;

let service: TestService;
let owner: Owner;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.owner();
});
afterAll(() => service.close());

const json = (content: string): Body => ({ content, type: 'application/json' });
const form = (content: string): Body => ({ content, type: 'application/x-www-form-urlencoded' });
function urlencoded(fields: readonly Field[]): Body {
  const content = new URLSearchParams();
  for (const [name, value] of fields) content.append(name, value);
  return { content };
}
function multipart(fields: readonly Field[]): Body {
  const content = new FormData();
  for (const [name, value] of fields) content.append(name, value);
  return { content };
}

/** A multipart body written by hand. */
const parts = (...all: [parameters: string, content: string][]): Body => ({
  content: multipartBody(...all).toString(),
  type: 'multipart/form-data; boundary=b',
});

/** Submits one to ten bodies to a new deployment; the text of the data that the list then has for each. */
async function roundTrip(bodies: readonly Body[]): Promise<string[]> {
  const deployment = await owner.deploy();
  const ids: string[] = [];
  for (const { content, type } of bodies) {
    const headers = type === undefined ? {} : { 'Content-Type': type };
    const response = await fetch(`${service.url}/submit/${deployment.id}`, { method: 'POST', body: content, headers });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`POST /submit answered ${response.status}: ${text}`);
    ids.unshift(JSON.parse(text).id);
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

/** The data of a form: names in the order of their first appearance, a name that repeats with a list, in order. */
function modelOf(fields: readonly Field[]): string {
  const names = [...new Set(fields.map(([name]) => name))];
  const members = names.map((name) => {
    const values = fields.filter((field) => field[0] === name).map(([, value]) => value);
    return `${JSON.stringify(name)}:${JSON.stringify(values.length === 1 ? values[0] : values)}`;
  });
  return `{${members.join(',')}}`;
}

const stringText = stringTexts('\\u0000', '\\ud800', '\\uDE00\\uD83D', '},{');
const nameText = fc.oneof(
  stringText.filter((text) => JSON.parse(text) !== '_hp'),
  fc.constantFrom('"a"', '"__proto__"', '"constructor"', '"toJSON"', '"10"', '"2"', '"-1"', '""', '"id"', '"data"'),
);
const objectText = objectTexts(nameText, stringText);

// A browser writes every line break as CRLF in multipart, and %22, %0D and %0A stand for characters in its names.
const crlf = (text: string): string => text.replace(/\r\n|\r|\n/g, '\r\n');
const formName = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('a', 'a', 'b', '10', '2', '__proto__', 'constructor', 'a[b]', 'c[]', 'a.b', 'a[50000000]', ''),
    fc.constantFrom('"', '\\"', 'a\\', '\r\n', ';name="x"', '&', '=', '+', '%', '%zz', '%41', ' ', '\0', '\uFEFF'),
  )
  .map(crlf)
  .filter((name) => name !== '_hp' && !/%(22|0d|0a)/i.test(name));
const formValue = fc
  .oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '--b', '\r\n--', '%22', '+', '&a=b', '\0', '\uFEFF', '\n'))
  .map(crlf);
const formFields = fc.array(fc.tuple(formName, formValue), { maxLength: 12 });

describe('GET /submissions/:deployId', () => {
  it('gives back the text of any JSON object', async () => {
    const texts = fc.array(objectText, { minLength: PER_DEPLOYMENT, maxLength: PER_DEPLOYMENT });
    await fc.assert(
      fc.asyncProperty(texts, async (sent) => {
        const received = await roundTrip(sent.map(json));
        expect(received.map(compact)).toEqual(sent.map(compact));
      }),
      RUNS,
    );
  });

  it.each([
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
  ])('gives back %s as it was', async (text) => {
    expect(await roundTrip([json(text)])).toEqual([text]);
  });

  it('gives back white space inside strings, and may drop it between tokens', async () => {
    const [received = ''] = await roundTrip([json(' {"a b" :\t[ 1 , "  x  y " ] ,\r\n"c": { } } ')]);
    expect(compact(received)).toBe('{"a b":[1,"  x  y "],"c":{}}');
  });

  it('drops a leading byte order mark', async () => {
    expect(await roundTrip([json('\uFEFF{"a":"\uFEFF"}')])).toEqual(['{"a":"\uFEFF"}']);
  });

  it('gives the same data for the same fields in all encodings', async () => {
    const forms = fc.array(formFields, { minLength: 1, maxLength: PER_DEPLOYMENT / 2 });
    await fc.assert(
      fc.asyncProperty(forms, async (all) => {
        const received = await roundTrip(all.flatMap((fields) => [urlencoded(fields), multipart(fields)]));
        expect(received).toEqual(all.flatMap((fields) => [modelOf(fields), modelOf(fields)]));
      }),
      RUNS,
    );
  });

  it.each<[string, Body, string]>([
    ['order', form('10=x&2=y&b=z&1=w'), '{"10":"x","2":"y","b":"z","1":"w"}'],
    ['repeats', form('a=1&b=2&a=3&a='), '{"a":["1","3",""],"b":"2"}'],
    [
      'literal names',
      form('a[b]=1&a[c]=2&d[]=3&e.f=4&a[50000000]=5'),
      '{"a[b]":"1","a[c]":"2","d[]":"3","e.f":"4","a[50000000]":"5"}',
    ],
    [
      'names of Object.prototype',
      form('__proto__=1&constructor=2&toString=3&__proto__[x]=4&__proto__=5'),
      '{"__proto__":["1","5"],"constructor":"2","toString":"3","__proto__[x]":"4"}',
    ],
    [
      'strings that look like more',
      form('a=1&b=true&c=null&d={}&e=1.10'),
      '{"a":"1","b":"true","c":"null","d":"{}","e":"1.10"}',
    ],
    ['stray percent signs', form('a=100%&b=%zz%4&%=%'), '{"a":"100%","b":"%zz%4","%":"%"}'],
    ['plus and %2B', form('a+b=c%2Bd+e'), '{"a b":"c+d e"}'],
    ['NUL', form('a=%00&%00=b'), '{"a":"\\u0000","\\u0000":"b"}'],
    ['names without values, and nothing', form('a&&b=&=c&'), '{"a":"","b":"","":"c"}'],
    ['equals signs in values', form('a=b=c&d==&f;g=h'), '{"a":"b=c","d":"=","f;g":"h"}'],
    [
      "browsers' three escapes in multipart names",
      parts(['name="%22%0D%0A%0d%0a"', '%22%0D%0A']),
      '{"\\"\\r\\n%0d%0a":"%22%0D%0A"}',
    ],
    ['no others', parts(['name="%41%25+%00\\n"', '']), '{"%41%25+%00\\\\n":""}'],
    [
      'order in multipart',
      parts(['name="10"', 'x'], ['name="2"', 'y'], ['name="10"', 'z']),
      '{"10":["x","z"],"2":"y"}',
    ],
    ['line breaks in parts', parts(['name="a"', '\r\n\n\r--b\r\n--bx\r\n']), '{"a":"\\r\\n\\n\\r--b\\r\\n--bx\\r\\n"}'],
    ['an empty file input', parts(['name="cv"; filename=""', '']), '{"cv":""}'],
    ['no fields at all', parts(), '{}'],
  ])('takes %s of a form literally', async (_case, body, data) => {
    expect(await roundTrip([body])).toEqual([data]);
  });

  it('mixes no submission up with another that comes at the same time', async () => {
    const sent = Array.from({ length: 8 }, (_, deployment) =>
      Array.from({ length: PER_DEPLOYMENT }, (_, index) => `{"d":${deployment},"n":${index}}`),
    );
    const received = await Promise.all(sent.map((texts) => roundTrip(texts.map(json))));
    expect(received).toEqual(sent);
  });
});
