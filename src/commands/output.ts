import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { printable, printableLines } from '../lib/printable.ts';
import { Interrupted, UsageError } from './command-error.ts';

export { printable, printableLines };

/*
 * Results are written to standard output, messages to standard error. A submission may contain characters that control a terminal:
 * they are printed as escapes.
 */

/** `--json`: print JSON. */
export type Output = { json?: true | undefined };

export const isTerminal = (): boolean => process.stdout.isTTY === true;

const FALLBACK_COLUMNS = 80;
export const columnsOf = (stream: { columns?: number }): number => stream.columns || FALLBACK_COLUMNS;

/** Writes to standard output, as fast as it is read; rejects with EPIPE when the reader has closed the pipe. */
export const print = (text: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });

export const printLine = (line: string): Promise<void> => print(`${line}\n`);

/** Prints an answer of the API unchanged; only a terminal gets escapes. */
export const printAnswer = (json: string): Promise<void> => printLine(isTerminal() ? printableLines(json) : json);

/** Prints an answer of the API as JSON, or else what a program needs of it, and a message for a person. */
export async function printOutcome(text: string, line: string, message: string, { json }: Output): Promise<void> {
  if (json) return await printAnswer(text);
  await printLine(printable(line));
  say(message);
}

/** Prints the result of a command: its message, or all of it as JSON. */
export const printResult = (result: { message: string; [name: string]: unknown }, { json }: Output): Promise<void> =>
  printLine(json ? JSON.stringify(result) : result.message);

/** With `--json`, messages are objects too, also where the arguments are wrong and no option was read. */
const sayAs = (name: 'message' | 'error', line: string): void => {
  const isJson = process.argv.includes('--json');
  process.stderr.write(
    isJson ? `${printableLines(JSON.stringify({ [name]: line }))}\n` : `formhost: ${printable(line)}\n`,
  );
};

/** A message for a person. */
export const say = (line: string): void => sayAs('message', line);

/** The reason why a command has failed. */
export const sayError = (line: string): void => sayAs('error', line);

type Style = Parameters<typeof styleText>[0];

/** Text in a style, on a terminal that shows styles: NO_COLOR is respected. */
export const styled = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });

type Value = string | number | boolean | Date | null;

const cell = (value: Value): string => printable(value instanceof Date ? value.toISOString() : String(value ?? '-'));

/** Rows in aligned columns below headers on a terminal; otherwise with tabs in between, for other programs. */
export async function printTable(headers: readonly string[], rows: readonly (readonly Value[])[]): Promise<void> {
  const cells = rows.map((row) => row.map(cell));
  if (!isTerminal()) return await print(cells.map((row) => `${row.join('\t')}\n`).join(''));
  const widths = headers.map((header, at) =>
    cells.reduce((width, row) => Math.max(width, row[at]?.length ?? 0), header.length),
  );
  const aligned = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  await print([styled('bold', aligned(headers)), ...cells.map(aligned)].map((line) => `${line}\n`).join(''));
}

/** The API's name of a property: `created_at` for `createdAt`. */
const apiName = (property: string): string => property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Prints rows as a table, or as a JSON array of objects with the names of the API. */
export async function printRows<Column extends string>(
  columns: readonly Column[],
  rows: AsyncIterable<Readonly<Record<Column, Value>>> | Iterable<Readonly<Record<Column, Value>>>,
  { json }: Output,
): Promise<void> {
  const names = columns.map(apiName);
  const all: Value[][] = [];
  for await (const row of rows) all.push(columns.map((column) => row[column]));
  if (!json) {
    const headers = names.map((name) => name.toUpperCase().replaceAll('_', ' '));
    return await printTable(headers, all);
  }
  const objects = all.map((row) => JSON.stringify(Object.fromEntries(names.map((name, at) => [name, row[at]]))));
  await printLine(objects.length === 0 ? '[]' : `[\n${objects.join(',\n')}\n]`);
}

/** Asks on the terminal, on standard error. Ctrl-C and Ctrl-D reject. `hidden`: the answer is not shown. */
export async function ask(question: string, { hidden = false } = {}): Promise<string> {
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

/** Returns whether the user agrees. Throws a UsageError if there is no terminal to ask at. */
export async function agrees(question: string, flag: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError(`nobody can be asked here: add ${flag}`);
  return /^y(?:es)?$/i.test((await ask(`${question} [y/N] `)).trim());
}

export const countOf = (count: number, one: string): string =>
  `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;

export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
