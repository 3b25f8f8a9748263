import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compactJson,
  type JsonMember,
  normalizeJson,
  readJsonList,
  readJsonObject,
  unescapedBytes,
  unquote,
} from '../../src/lib/json-text.ts';
import { objectTexts, spaced, stringTexts, withoutBackslash } from '../support/json-texts.ts';

/** Each member as its name, an equals sign, and its value. */
const members = (text: string): string[] => readJsonObject(text).members.map(({ name, value }) => `${name}=${value}`);
const problem = (text: string): string | undefined => readJsonObject(text).problem;
const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const stringText = stringTexts('\\n', '_hp', '{', '}', '[', ']', ',', ':', ' ');
const objectText = objectTexts(withoutBackslash(fc.oneof(fc.constant('"a"'), stringText)), stringText);

describe('readJsonObject', () => {
  it('gives the members in the order of the text, values as written', () => {
    expect(members('{"b": 1.10, "a" :[1, {"x":2}] ,"10":"x","2":null}')).toEqual([
      ...['b=1.10', 'a=[1, {"x":2}]', '10="x"', '2=null'],
    ]);
  });

  it('keeps repeats, __proto__, big numbers, NUL and lone surrogates', () => {
    expect(members('{"a":1,"__proto__":{},"a":12345678901234567890,"":"\\u0000","s":"\\ud800"}')).toEqual([
      ...['a=1', '__proto__={}', 'a=12345678901234567890', '="\\u0000"', 's="\\ud800"'],
    ]);
  });

  it('decodes names and leaves values', () => {
    expect(members('{"\\u005fhp":"\\u005f","a\\"b\\\\":true,"\\ud83d\\ude00":-0}')).toEqual([
      ...['_hp="\\u005f"', 'a"b\\=true', '😀=-0'],
    ]);
  });

  it('takes white space wherever JSON does, and only what JSON calls so', () => {
    expect(members(' \t\r\n{ "a" : 1 , "b" : { } , "c" : [ ] } \n')).toEqual(['a=1', 'b={ }', 'c=[ ]']);
    expect(members('\n{ }\n')).toEqual([]);
    for (const blank of ['\u00a0', '\u2028', '\ufeff', '\v', '\f']) {
      expect(problem(`{${blank}"a":1}`)).toBe('malformed');
    }
  });

  it.each(['', ' ', '[]', '"{}"', '1', 'null', 'x{}', '\ufeff{}'])('says that %j is not an object', (text) => {
    expect(readJsonObject(text)).toEqual({ members: [], problem: 'not an object' });
  });

  it.each([
    ...['{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{,}', '{a:1}', "{'a':1}", '{"a" 1}', '{"a":1 "b":2}'],
    ...['{}}', '{}x', '{"a":}', '{"a":[}', '{"a":{]}', '{"a":[1,]}', '{"a":[,1]}', '{"a":[1}}', '{"a":1]', '{1:1}'],
    ...['{"a":01}', '{"a":-}', '{"a":+1}', '{"a":.5}', '{"a":1.}', '{"a":1e}', '{"a":1e+}', '{"a":-a}', '{"a":0x1}'],
    ...['{"a":NaN}', '{"a":tru}', '{"a":True}', '{"a":nulll}', '{"a":undefined}', '{"a":"\n"}', '{"a":"\t"}'],
    ...['{"a":"\\x"}', '{"a":"\\u12"}', '{"a":"\\u12g4"}', '{"a":"\\', '{"a":"\\"}', '{"a":"\u0000"}', '{/**/}'],
  ])('says that %j is malformed, as JSON.parse does', (text) => {
    expect(parses(text)).toBe(false);
    expect(problem(text)).toBe('malformed');
  });

  it('counts objects and lists as levels, the outermost object as the first', () => {
    const limits = { maxDepth: 3, maxMembers: 10, maxValues: 100 };
    expect(readJsonObject('{"a":[{}],"b":{"c":[]}}', limits).problem).toBeUndefined();
    expect(readJsonObject('{"a":[[[]]]}', limits).problem).toBe('too deep');
    expect(readJsonObject('{"a":{"b":{"c":{}}}}', limits).problem).toBe('too deep');
  });

  it('counts members of the outermost object alone, repeats included', () => {
    const limits = { maxDepth: 10, maxMembers: 2, maxValues: 100 };
    expect(readJsonObject('{"a":{"b":1,"c":2,"d":[1,2,3]},"a":2}', limits).problem).toBeUndefined();
    expect(readJsonObject('{"a":1,"a":2,"a":3}', limits).problem).toBe('too many members');
  });

  it('counts values at all levels, objects and lists included', () => {
    const limits = { maxDepth: 10, maxMembers: 10, maxValues: 5 };
    const pairs = [
      ['{"a":[1,"b",null,{}]}', '{"a":[1,"b",null,{},0]}'],
      ['{"a":{"b":{"c":[[[]]]}}}', '{"a":{"b":{"c":[[[[]]]]}}}'],
      ['{"a":[[],[],[],[]]}', '{"a":[[],[],[],[],[]]}'],
      ['{"a":1,"b":2,"c":[3,4]}', '{"a":1,"b":2,"c":[3,4],"d":""}'],
    ];
    for (const [within = '', beyond = ''] of pairs) {
      expect(readJsonObject(within, limits).problem).toBeUndefined();
      expect(readJsonObject(beyond, limits).problem).toBe('too many values');
    }
  });

  it('looks at nothing behind the first value that is too many', () => {
    const limits = { maxDepth: 10, maxMembers: 10, maxValues: 3 };
    expect(readJsonObject('{"a":[1,2,3,', limits).problem).toBe('too many values');
    expect(readJsonObject('{"a":[1,2', limits).problem).toBe('malformed');
  });

  it('reads 100,000 levels and 20,000 members without a limit', () => {
    const deep = `${'{"a":['.repeat(50_000)}1${']}'.repeat(50_000)}`;
    expect(members(deep)).toEqual([`a=${deep.slice(5, -1)}`]);
    expect(problem('{"a":'.repeat(100_000))).toBe('malformed');
    const wide = Array.from({ length: 20_000 }, (_, index) => `"${index}":${index}`);
    expect(members(`{${wide.join(',')}}`)).toHaveLength(20_000);
  });

  it('gives members that make the same object again', () => {
    const again = ({ name, value }: JsonMember) => `${JSON.stringify(name)}:${value}`;
    fc.assert(
      fc.property(spaced(objectText), (text) => {
        const read = readJsonObject(text);
        expect(read.problem).toBeUndefined();
        expect(JSON.parse(`{${read.members.map(again).join(',')}}`)).toEqual(JSON.parse(text));
        for (const { value } of read.members) expect(value).toBe(value.trim());
      }),
    );
  });

  it('takes a text when JSON.parse does, and only then', () => {
    const slip = fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...'{}[]",:\\u0-+.eE \n\u0000tn1'));
    fc.assert(
      fc.property(objectText, fc.array(slip, { maxLength: 2 }), (text, slips) => {
        let spoilt = text;
        for (const [place, removed, added] of slips) {
          const at = 1 + (place % spoilt.length);
          spoilt = spoilt.slice(0, at) + added + spoilt.slice(at + removed);
        }
        expect(problem(spoilt) === undefined).toBe(parses(spoilt));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('readJsonList', () => {
  it.each<[string, string[]]>([
    ['[]', []],
    [' [ \n] ', []],
    ['[1]', ['1']],
    ['[ 1.10 ,\t1e400\r\n, null ]\n', ['1.10', '1e400', 'null']],
    ['["",""]', ['""', '""']],
    ['["a,b","]","[","\\",","\\\\"," a "]', ['"a,b"', '"]"', '"["', '"\\","', '"\\\\"', '" a "']],
    ['[[1, 2],{"a":[3, 4], "b,]":5},[]]', ['[1, 2]', '{"a":[3, 4], "b,]":5}', '[]']],
    ['[[[]]]', ['[[]]']],
    ['["\u00a0\u2028"]', ['"\u00a0\u2028"']],
  ])('gives the items of %j as they are written', (text, items) => {
    expect(readJsonList(text)).toEqual(items);
  });

  it('gives items that make the same list again', () => {
    const listText = fc.array(spaced(objectText)).map((items) => ` [${items.join(',')} ]`);
    fc.assert(
      fc.property(listText, (text) => {
        const items = readJsonList(text);
        expect(items.map((item) => JSON.parse(item))).toEqual(JSON.parse(text));
        for (const item of items) expect(item).toBe(item.trim());
      }),
    );
  });

  it('reads 100,000 levels and 100,000 items', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(readJsonList(deep)).toEqual([deep.slice(1, -1)]);
    expect(readJsonList(`[${'1,'.repeat(99_999)}1]`)).toHaveLength(100_000);
  });
});

describe('compactJson', () => {
  it('says the same without white space', () => {
    fc.assert(
      fc.property(spaced(objectText), (text) => {
        const compact = compactJson(text);
        const outsideStrings = compact.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
        expect(JSON.parse(compact)).toEqual(JSON.parse(text));
        expect(outsideStrings).not.toMatch(/\s/);
        expect(compact.replaceAll(/[ \t\r\n]/g, '')).toBe(text.replaceAll(/[ \t\r\n]/g, ''));
      }),
    );
  });

  it('takes 100,000 levels with white space', () => {
    const deep = `${'[ '.repeat(100_000)}${' ]'.repeat(100_000)}`;
    expect(compactJson(deep)).toBe(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  });
});

describe('normalizeJson', () => {
  it('writes each string in one way', () => {
    fc.assert(
      fc.property(stringText, (text) => {
        expect(normalizeJson(`{ ${text} : [${text}, ${text}] }`)).toBe(
          `{${JSON.stringify(JSON.parse(text))}:${JSON.stringify([JSON.parse(text), JSON.parse(text)])}}`,
        );
      }),
    );
  });

  it('changes neither what a text says, nor its numbers, nor its order', () => {
    fc.assert(
      fc.property(spaced(objectText), (text) => {
        expect(JSON.parse(normalizeJson(text))).toEqual(JSON.parse(text));
        expect(normalizeJson(normalizeJson(text))).toBe(normalizeJson(text));
      }),
    );
    expect(normalizeJson('{"b": 1.10, "a": "\\u0041", "a": 1e400, "10": -0}')).toBe(
      '{"b":1.10,"a":"A","a":1e400,"10":-0}',
    );
  });

  it('takes a string of a mebibyte, and 100,000 strings', () => {
    expect(normalizeJson(`{"a":"${'\\u0041'.repeat(1024 * 1024)}"}`)).toBe(`{"a":"${'A'.repeat(1024 * 1024)}"}`);
    expect(normalizeJson(`["\\/"${',"\\/"'.repeat(100_000)}]`)).toBe(`["/"${',"/"'.repeat(100_000)}]`);
  });
});

describe('unquote', () => {
  it('gives what a JSON string stands for', () => {
    fc.assert(
      fc.property(stringText, (text) => {
        expect(unquote(text)).toBe(JSON.parse(text));
      }),
    );
  });
});

describe('unescapedBytes', () => {
  it.each([
    ...Object.entries({
      '{"a":"b"}': 9,
      'é€😀': 9,
      '\\u0041': 1,
      '\\u007F': 1,
      '\\u0080': 2,
      '\\u07FF': 2,
      '\\u0800': 3,
    }),
    ...Object.entries({ '\\uffff': 3, '\\ud83d\\ude00': 4, '\\ud83d': 3, '\\ude00': 3, '\\ude00\\ud83d': 6 }),
    ...Object.entries({ '\\ud83d\\ud83d\\ude00': 7, '\\ud83d\\ude00\\ude00': 7, '\\ud83d \\ude00': 7 }),
    ...Object.entries({ '\\n': 1, '\\\\u0041': 6, '\\"\\\\\\/': 3 }),
  ])('counts %s as %i', (text, bytes) => {
    expect(unescapedBytes(text)).toBe(bytes);
  });

  it('counts what a string decodes to', () => {
    fc.assert(
      fc.property(stringText, (text) => {
        expect(unescapedBytes(text)).toBe(Buffer.byteLength(String(JSON.parse(text))) + 2);
      }),
    );
  });
});
