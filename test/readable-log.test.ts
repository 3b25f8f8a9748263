import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { readableLines } from '../src/readable-log.ts';

const TIME = '2026-11-28T09:05:07.000Z';
const shown = async (line: object, hasPid = false): Promise<string> => {
  const show = await readableLines({ hasColors: true, hasPid });
  return show(`${JSON.stringify({ level: 30, time: TIME, pid: 42, ...line })}\n`);
};

it('shows level, message and the rest on one line, and the process where there are several', async () => {
  const line = { msg: 'answered', status: 200 };
  expect(stripVTControlCharacters(await shown(line))).toMatch(/^\[\d\d:\d\d:07\] INFO: answered \{"status":200\}\n$/);
  expect(stripVTControlCharacters(await shown(line, true))).toMatch(/ INFO \(42\): answered /);
});

it('shows characters that control a terminal as escapes, and no line that a text has in it', async () => {
  const text = await shown({ msg: 'a\u001b[2Jb\u009bc', slug: 'd\u202ee', note: 'x\n[09:05:08] INFO: ready' });
  expect(text).toContain('a\\u001b[2Jb\\u009bc');
  expect(text).toContain('d\\u202ee');
  expect(text.split('\n')).toHaveLength(2);
  const stack = '    at one\n    at \u001btwo';
  const error = await shown({ level: 50, msg: 'request failed', err: { type: 'Error', message: 'no', stack } });
  expect(error).toContain('at one\n');
  expect(error).not.toContain('\u001btwo');
});
