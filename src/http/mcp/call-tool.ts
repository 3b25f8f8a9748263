import { findIdBySlug } from '../../db/deployments/deployment-queries.ts';
import { readJsonObject } from '../../lib/json-text.ts';
import { sentencesOf } from '../../problems/read-problem.ts';
import { render } from '../../problems/sentence.ts';
import { filesOfText, SiteError, sentFilesOf } from '../../sites/sent-files.ts';
import { isSlug } from '../../sites/slugs.ts';
import { SIZES } from '../../sizes.ts';
import type { App } from '../app.ts';
import { JsonPieces, type ToolCall } from '../operation/declaration.ts';
import { UNTRUSTED } from '../operation/tool.ts';
import { checkQuery } from '../request/query-values.ts';
import { HttpError, inSeconds, toLoggedError } from '../response/errors.ts';
import { FormClosed } from '../response/form-closed.ts';
import { BOUNDS, boundedAnswer } from './bounded-answer.ts';
import type { BoundTool } from './descriptors.ts';
import { partOf } from './text-part.ts';

/** The HTTP request with which a tool is called. */
export type Exchange = Omit<ToolCall, 'params' | 'input' | 'notify' | 'setHeaders'>;

/** A call answers texts for the model, and the answer of the endpoint as a JSON text, if it succeeded. */
export type Outcome = { texts: string[]; structured: string | undefined };

type Values = Readonly<Record<string, unknown>>;

const { maxAnswerChars } = SIZES.mcp;

const tooLong = (): HttpError =>
  new HttpError(413, `The answer has more than ${maxAnswerChars} characters: read it over the HTTP API.`);

/** The next step after an error of a status, where its message does not say it. */
const NEXT: Readonly<Record<number, string>> = {
  400: 'Correct the arguments, then call the tool again.',
  401: 'Ask the user for a valid API key.',
  403: 'Ask the user to do that.',
  409: 'Then call the tool again.',
  413: '',
  422: 'Correct the arguments, then call the tool again.',
};

function adviceFor(error: HttpError, { ifMissing }: BoundTool, requestId: string): string {
  if (error instanceof FormClosed) return 'change_settings opens it: opens_at, closes_at, max_submissions.';
  const { status, headers } = error;
  const { 'Retry-After': seconds } = headers;
  if (seconds !== undefined) return `Call the tool again in ${inSeconds(Number(seconds) * 1_000)}.`;
  if (status === 404 && ifMissing !== undefined) return ifMissing;
  return NEXT[status] ?? `If it fails once more, tell the user, with the request id ${requestId}.`;
}

/** The JSON text of what an endpoint answers; undefined where it has more than `maxChars`. */
async function textOf(answer: unknown, maxChars = maxAnswerChars): Promise<string | undefined> {
  if (!(answer instanceof JsonPieces)) return JSON.stringify(answer);
  let text = '';
  for await (const piece of answer.pieces) {
    text += piece;
    if (text.length > maxChars) return undefined;
  }
  return text;
}

/** Returns the object or list that a client has sent as its JSON text; other texts stay, and the endpoint refuses them. */
function structureOf(name: string, text: string, config: App['config']): unknown {
  try {
    if (name === 'files') return sentFilesOf(filesOfText(text, config));
    if (text.length <= SIZES.body.settingsBytes) return JSON.parse(text);
    // Only a list may be long. JSON.parse builds all values before they can be counted.
    const isList = text.startsWith('[') && readJsonObject(`{"":${text}}`, SIZES.json).problem === undefined;
    return isList ? JSON.parse(text) : text;
  } catch (error) {
    // The check of the field tells it.
    return error instanceof SiteError ? error : text;
  }
}

/** The arguments of a call by their names, with those of `next` and the defaults; throws 400 for unknown ones. */
function readArguments(
  { tool, names, structures }: BoundTool,
  { next: sent, ...args }: Values,
  { config }: Pick<App, 'config'>,
): Values {
  const { next } = checkQuery({ next: sent }, BOUNDS);
  const given = { ...tool.defaults, ...args, ...Object.fromEntries(new URLSearchParams(next)) };
  if (Object.keys(given).some((name) => !names.has(name))) {
    throw new HttpError(400, `An argument is not known: ${tool.name} takes ${[...names].join(', ') || 'none'}.`);
  }
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      structures.has(name) && typeof value === 'string' ? structureOf(name, value, config) : value,
    ]),
  );
}

/** The parameters of the path, of which a page may be named by its slug. Throws 400 where one is left out. */
async function readPath(
  { path }: BoundTool,
  given: Values,
  { owner, queue }: Exchange,
  { db }: Pick<App, 'db'>,
): Promise<Record<string, string>> {
  const params: Record<string, string> = {};
  for (const [parameter, name] of path) {
    const { [name]: value } = given;
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw new HttpError(400, `${name} is required: send it as a string.`);
    }
    params[parameter] = String(value);
    if (name !== 'id' || !isSlug(String(value))) continue;
    const id = await queue(() => findIdBySlug(db, owner.id, String(value)));
    // Without one, the endpoint refuses the slug as it refuses an unknown id.
    params[parameter] = id ?? String(value);
  }
  return params;
}

/** The field that the second endpoint of a tool adds; `null` where it fails: the first has done its work. */
async function addition(
  { followUp }: BoundTool,
  answer: string,
  exchange: Exchange,
  { log }: Pick<App, 'log'>,
  requestId: string,
): Promise<string> {
  if (!followUp) return answer;
  const { call, field } = followUp;
  const done: Record<string, unknown> = JSON.parse(answer);
  try {
    const params = { id: String(done.id) };
    const text = await textOf(
      await call({ ...exchange, params, input: {}, notify: () => undefined, setHeaders: () => undefined }),
    );
    if (text === undefined) throw tooLong();
    return JSON.stringify({ ...done, [field]: JSON.parse(text)[field] });
  } catch (error) {
    toLoggedError(error, log, requestId);
    return JSON.stringify({ ...done, [field]: null });
  }
}

/** The JSON text of a tool's answer, as much of it as its arguments ask for. `ask` calls the endpoint. */
async function answerText(
  { tool, names }: BoundTool,
  input: Values,
  ask: (input: Values, maxChars?: number) => Promise<string | undefined>,
): Promise<string> {
  if (tool.isBounded) return boundedAnswer(ask, input, names.has('limit'));
  if (tool.inParts === undefined) return foundText(await ask(input));
  const { offset, max_chars, ...rest } = input;
  return partOf(foundText(await ask(rest, Number.POSITIVE_INFINITY)), tool.inParts, { offset, max_chars });
}

function foundText(text: string | undefined): string {
  if (text === undefined) throw tooLong();
  return text;
}

/** Calls a tool for the owner of a key. An error is an outcome that says what to do next. */
export async function callTool(
  bound: BoundTool,
  args: Values,
  exchange: Exchange,
  app: Pick<App, 'config' | 'db' | 'log'>,
): Promise<Outcome> {
  const { tool, call, path } = bound;
  const requestId = String(exchange.response.getHeader('x-request-id'));
  const notices = new Set<string>();
  try {
    const given = readArguments(bound, args, app);
    const params = await readPath(bound, given, exchange, app);
    const inPath = new Set(path.values());
    const input = Object.fromEntries(Object.entries(given).filter(([name]) => !inPath.has(name)));
    const told = {
      notify: (template: string) => void notices.add(render(template, bound.words)),
      setHeaders: () => undefined,
    };
    const ask = async (asked: Values, maxChars?: number): Promise<string | undefined> =>
      textOf(await call({ ...exchange, ...told, params, input: asked }), maxChars);
    const text = await answerText(bound, input, ask);
    const structured = await addition(bound, text, exchange, app, requestId);
    const warning = tool.readsVisitors ? [`${UNTRUSTED} It is the JSON that follows.`] : [];
    return {
      texts: [...warning, structured, ...notices],
      structured,
    };
  } catch (cause) {
    const error = toLoggedError(cause, app.log, requestId);
    const message = sentencesOf({ detail: error.template, errors: error.errors }, bound.words)
      .join(' ')
      .replace(/\w$/, '$&.');
    const advice = `${message} ${adviceFor(error, bound, requestId)}`.trimEnd();
    return {
      texts: [advice, ...notices],
      structured: undefined,
    };
  }
}
