import type { AnyCommand, Row, Typed } from '../../http/operation/command.ts';
import { SIZES } from '../../sizes.ts';
import { COMMAND_LIMITS } from '../command-limits.ts';
import {
  countOf,
  isTerminal,
  print,
  printAnswer,
  printable,
  printableLines,
  printLine,
  printTable,
  say,
} from '../output.ts';
import { retry, type Service } from './api-requests.ts';
import { untilInterrupted } from './interrupt.ts';
import { printStatistics } from './submission-chart.ts';
import { printSubmissions, showSubmission } from './submission-text.ts';

/*
 * The answers of operations to their commands: how lists are read to the end, and what is printed.
 */

/** Tries in a row that bring nothing new. */
const TRIES = 6;

type Values = Readonly<Record<string, unknown>>;
type Answer = { data: Values; text: string };
/** A request of a command. `query`, `body`: the names of the fields of each. */
export type Asked = {
  method: string;
  path: string;
  query: readonly string[];
  body: readonly string[];
  values: Values;
};

const only = (names: readonly string[], values: Values): [string, unknown][] =>
  Object.entries(values).filter(([name]) => names.includes(name));

const send = (service: Service, { method, path, query, body }: Asked, values: Values, signal: AbortSignal) =>
  service.request(method, path, {
    query: Object.fromEntries(only(query, values).map(([name, value]) => [name, String(value)])),
    body: body.length > 0 ? Object.fromEntries(only(body, values)) : undefined,
    signal,
  });

/** Returns the fields by which a list goes on after an answer; undefined at its end. */
function nextOf({ total, next_cursor: cursor }: Values, { page, limit }: Values): Values | undefined {
  if (typeof cursor === 'string') return { limit, cursor };
  return typeof page === 'number' && page * Number(limit) < Number(total) ? { page: page + 1, limit } : undefined;
}

/**
 * Asks for an answer, or for all answers of a list; just for one with a `limit`. An answer after the first is asked for again where that
 * fails for now.
 */
async function* answersTo(
  service: Service,
  asked: Asked,
  limit: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<Answer> {
  let place: Values | undefined = {
    ...(asked.query.includes('limit') && { limit: limit ?? COMMAND_LIMITS.pageSize }),
    ...(asked.query.includes('page') && limit === undefined && { page: 1 }),
  };
  for (let times = 0; place; times = TRIES) {
    const values: Values = { ...asked.values, ...place };
    const answer = await retry(() => send(service, asked, values, signal), { times, signal });
    yield answer;
    place = nextOf(answer.data, place);
  }
}

/** The forms of text that are more than lines and tables. */
const SHOWN: Readonly<Record<NonNullable<AnyCommand['shows']>, (json: string, values: Values) => Promise<void>>> = {
  submission: (json) => print(`${showSubmission(json)}\n`),
  submissions: (json) => printSubmissions(json),
  chart: (json, values) => printStatistics(json, values),
  html: (json) => printHtml(json),
};

function printHtml(json: string): Promise<void> {
  const { html }: { html: string } = JSON.parse(json);
  return print(isTerminal() ? printableLines(html) : html);
}

function shown(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value;
  return JSON.stringify(value);
}

async function printOne(command: AnyCommand, { data, text }: Answer, typed: Typed, values: Values): Promise<void> {
  if (command.shows) await SHOWN[command.shows](text, values);
  else if (command.prints) await printLine(printable(command.prints(data, typed)));
  else if (!command.table && !command.counts) {
    const rows = Object.entries(data).map(([name, value]) => [name, shown(value)]);
    await printTable(['NAME', 'VALUE'], rows);
  }
}

/** Calls an operation, and prints its answers as its command says; with `json`, only the answers, unchanged. */
export const callOperation = (
  service: Service,
  command: AnyCommand,
  asked: Asked,
  { typed, limit, json }: { typed: Typed; limit: number | undefined; json: boolean },
): Promise<void> =>
  untilInterrupted(async (signal) => {
    const { table, counts, shows } = command;
    const rows: Row[] = [];
    let count = 0;
    let last: Values = {};
    for await (const answer of answersTo(service, asked, limit, signal)) {
      last = answer.data;
      if (command.isFailure?.(last)) process.exitCode = 1;
      if (json) {
        await printAnswer(answer.text);
        continue;
      }
      await printOne(command, answer, typed, asked.values);
      rows.push(...(table?.rows(last) ?? []));
      count += counts?.of(last) ?? 0;
    }
    if (json) return;
    if (table) await printTable(table.columns, rows);
    if (counts && !shows) await printLine(String(count));
    const message = counts ? `${countOf(count, 'submission')} ${counts.outcome}` : command.says?.(last, typed);
    if (message) say(message);
    if (limit !== undefined && rows.length < Number(last.total)) {
      const [name] = Object.keys(last).filter((key) => Array.isArray(last[key]));
      say(`${rows.length} of ${last.total} ${name}: --limit shows up to ${SIZES.list.maxLimit}`);
    }
  });
