import type { Log } from '../../lib/log.ts';
import { SIZES } from '../../limits.ts';
import { JsonPieces, type ToolCall } from '../request/declaration.ts';
import { HttpError, inSeconds, toLoggedError } from '../response/errors.ts';
import type { BoundTool } from './descriptors.ts';
import { UNTRUSTED } from './tools.ts';

/** The HTTP request with which a tool is called. */
export type Exchange = Omit<ToolCall, 'params' | 'input' | 'notify'>;

/** What a call answers: texts for the model, and the answer of the endpoint as a JSON text, if it succeeded. */
export type Outcome = { texts: string[]; structured: string | undefined };

const { maxAnswerChars } = SIZES.mcp;

const tooLong = (): HttpError =>
  new HttpError(
    413,
    `The answer has more than ${maxAnswerChars} characters: call the tool with a smaller limit, or read it over the HTTP API.`,
  );

/** What to do after an error of a status, where its message does not say it. */
const NEXT: Readonly<Record<number, string>> = {
  400: 'Correct the arguments, then call the tool again.',
  401: 'Ask the user for a valid API key.',
  403: 'Tell the user: you cannot do this with this key.',
  409: 'Then call the tool again.',
  413: 'Then call the tool again.',
  422: 'Correct the arguments, then call the tool again.',
};

function adviceFor({ status, headers }: HttpError, { tool }: BoundTool, requestId: string): string {
  const { 'Retry-After': seconds } = headers;
  if (seconds !== undefined) return `Call the tool again in ${inSeconds(Number(seconds) * 1_000)}.`;
  if (status === 404 && tool.ifMissing !== undefined) return tool.ifMissing;
  return NEXT[status] ?? `If it fails once more, tell the user, with the request id ${requestId}.`;
}

/** The JSON text of what an endpoint answers. */
async function textOf(answer: unknown): Promise<string> {
  if (typeof answer === 'function') throw new Error('An endpoint that writes its answer itself is no tool.');
  if (!(answer instanceof JsonPieces)) return JSON.stringify(answer);
  let text = '';
  for await (const piece of answer.pieces) {
    text += piece;
    if (text.length > maxAnswerChars) throw tooLong();
  }
  return text;
}

/** The parameters of the path; throws 400 where an argument is not a string. */
const pathOf = ({ tool }: BoundTool, given: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tool.path ?? {}).map(([parameter, name]) => {
      const value = given[name];
      if (typeof value !== 'string') throw new HttpError(400, `${name} is required: send it as a string.`);
      return [parameter, value];
    }),
  );

/** The field that the second endpoint of a tool adds; `null` where it fails: the first has done its work. */
async function addition(
  { followUp }: BoundTool,
  answer: string,
  exchange: Exchange,
  log: Log,
  requestId: string,
): Promise<string> {
  if (!followUp) return answer;
  const { call, field } = followUp;
  const done: Record<string, unknown> = JSON.parse(answer);
  try {
    const params = { id: String(done.id) };
    const added = JSON.parse(await textOf(await call({ ...exchange, params, input: {}, notify: () => undefined })));
    return JSON.stringify({ ...done, [field]: added[field] });
  } catch (error) {
    toLoggedError(error, log, requestId);
    return JSON.stringify({ ...done, [field]: null });
  }
}

/** Calls a tool for the owner of a key. An error is an outcome that says what to do next. */
export async function callTool(
  bound: BoundTool,
  args: Readonly<Record<string, unknown>>,
  exchange: Exchange,
  log: Log,
): Promise<Outcome> {
  const { tool, call, names } = bound;
  const requestId = String(exchange.response.getHeader('x-request-id'));
  const notices: string[] = [];
  try {
    if (Object.keys(args).some((name) => !names.has(name))) {
      throw new HttpError(400, `An argument is not known: ${tool.name} takes ${[...names].join(', ') || 'none'}.`);
    }
    const given = { ...tool.defaults, ...args };
    const inPath = new Set(Object.values(tool.path ?? {}));
    const input = Object.fromEntries(Object.entries(given).filter(([name]) => !inPath.has(name)));
    const params = pathOf(bound, given);
    const answer = await call({ ...exchange, params, input, notify: (sentence) => notices.push(sentence) });
    const structured = await addition(bound, await textOf(answer), exchange, log, requestId);
    const warning = tool.isUntrusted ? [`${UNTRUSTED} It is the JSON that follows, and ends with it.`] : [];
    return { texts: [...warning, structured, ...notices], structured };
  } catch (cause) {
    const error = toLoggedError(cause, log, requestId);
    return {
      texts: [`${error.message.replace(/\w$/, '$&.')} ${adviceFor(error, bound, requestId)}`],
      structured: undefined,
    };
  }
}
