import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { COMMAND_LIMITS } from '../../limits.ts';
import { printError, UsageError } from '../command-error.ts';

/*
 * What a person or a program sees. Results are written to standard output, messages to standard error. What was submitted may
 * have characters that control a terminal: they are shown, and not obeyed.
 */

export const isTerminal = (): boolean => process.stdout.isTTY === true;
const isWatched = (): boolean => process.stderr.isTTY === true;

const FALLBACK_COLUMNS = 80;
export const columnsOf = (stream: { columns?: number }): number => stream.columns || FALLBACK_COLUMNS;

/** What moves a cursor, begins an escape sequence, or changes the direction of text. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text on one line, with what controls a terminal as `\u001b`. */
export const printable = (text: string): string => text.replaceAll(CONTROLS, escaped);

/** JSON that means the same, with what controls a terminal as escapes of JSON. Outside of strings these are white space. */
export const printableJson = (json: string): string =>
  json.replaceAll(CONTROLS, (character) => {
    if (character === '\n' || character === '\t') return character;
    return character === '\r' ? ' ' : escaped(character);
  });

/** CSV for a terminal: line ends stay. */
export const printableCsv = (csv: string): string =>
  csv.replaceAll(CONTROLS, (character) =>
    character === '\n' ? character : character === '\r' ? '' : escaped(character),
  );

/** Writes to standard output, as fast as it is read; rejects with EPIPE when nobody reads any more. */
export const print = (text: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });

export const printLine = (line: string): Promise<void> => print(`${line}\n`);

/** What the API has answered, unchanged; only a terminal gets escapes. */
export const printAnswer = (json: string): Promise<void> => printLine(isTerminal() ? printableJson(json) : json);

/** A message for a person. */
export const say = (line: string): void => printError(printable(line));

type Style = Parameters<typeof styleText>[0];

/** Text in a style, on a terminal that shows styles: NO_COLOR is respected. */
export const styled = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });

/** Rows in aligned columns below headers on a terminal; otherwise with tabs in between, for other programs. */
export async function printTable(headers: readonly string[], rows: readonly (readonly string[])[]): Promise<void> {
  const cells = rows.map((row) => row.map(printable));
  if (!isTerminal()) {
    for (const row of cells) await printLine(row.join('\t'));
    return;
  }
  const widths = headers.map((header, at) => Math.max(header.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const aligned = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  await printLine(styled('bold', aligned(headers)));
  for (const row of cells) await printLine(aligned(row));
}

/** A line on standard error that is written again and again, on a terminal only. */
export function createStatusLine() {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    show(line: string): void {
      const now = performance.now();
      if (!isWatched() || now - drawnAt < COMMAND_LIMITS.exports.redrawMs) return;
      drawnAt = now;
      process.stderr.write(`\r\u001b[K${line}`);
    },
    clear(): void {
      if (drawnAt > 0) process.stderr.write('\r\u001b[K');
      drawnAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** A bar of this many columns. `share`: 0 to 1. */
export function bar(share: number, columns: number): string {
  const filled = Math.round(Math.min(Math.max(share, 0), 1) * columns);
  return '█'.repeat(filled) + '░'.repeat(columns - filled);
}

/** Asks on the terminal, on standard error. Ctrl-C and Ctrl-D reject. `hidden`: what is typed is not shown. */
async function ask(question: string, { hidden = false } = {}): Promise<string> {
  const stopped = new AbortController();
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output: hidden ? nowhere : process.stderr,
    terminal: true,
    historySize: 0,
  });
  const stop = (): void => stopped.abort();
  terminal.once('SIGINT', stop).once('close', stop);
  if (hidden) process.stderr.write(question);
  try {
    return await terminal.question(hidden ? '' : question, { signal: stopped.signal });
  } catch {
    throw new Interrupted();
  } finally {
    terminal.off('close', stop);
    terminal.close();
    if (hidden || stopped.signal.aborted) process.stderr.write('\n');
  }
}

/** Ctrl-C. */
export class Interrupted extends Error {}

export const askFor = (question: string): Promise<string> => ask(question);
export const askHidden = (question: string): Promise<string> => ask(question, { hidden: true });

/** Whether a person agrees; throws a UsageError where nobody can be asked. */
export async function agrees(question: string, flag: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError(`nobody can be asked here: add ${flag}`);
  return /^y(?:es)?$/i.test((await ask(`${question} [y/N] `)).trim());
}
