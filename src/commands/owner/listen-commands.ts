import { randomBytes } from 'node:crypto';
import { type Command, Option } from '@commander-js/extra-typings';
import { EVENTS } from '../../lib/events.ts';
import { readJsonObject, unquote } from '../../lib/json-text.ts';
import { isLoopback } from '../../lib/public-address.ts';
import { genericHeaders, genericPayload, signedHeaders, standardPayload } from '../../webhooks/signed-message.ts';
import { messageOf, UsageError } from '../command-error.ts';
import { forPage } from '../declare.ts';
import { type Output, printable, printLine } from '../output.ts';
import { type Connect, connectToPage } from './api-requests.ts';
import { untilInterrupted } from './interrupt.ts';
import { followSubmissions } from './submission-stream.ts';

// Taken as all of the project does: an import would also load its own fetch.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

/** The program answers within the time that the service gives a receiver. */
const ANSWER_TIMEOUT_MS = 15_000;

const SECRET_BYTES = 32;
/** Standard Webhooks 1.0: 24 to 64 bytes in base64. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;

/** Without a proxy: the program runs on this machine. */
const direct = new http.Agent();
const directTls = new https.Agent();

const [SUBMISSION] = EVENTS;

/** The formats for programs. Those of chats have labels of the form, and are for chats. */
const FORMATS = ['default', 'standard'] as const;

type Page = { id: string; slug: string; url: string };
type Signing = { format: (typeof FORMATS)[number]; secret: string };
type Message = { submissionId: string; headers: Record<string, string>; body: string };

/** The message that a webhook would get about a submission, signed at this moment. `json`: the submission as the API has it. */
function messageAbout(json: string, { id: deploymentId, slug, url }: Page, { format, secret }: Signing): Message {
  const members = new Map(readJsonObject(json).members.map(({ name, value }) => [name, value]));
  const textOf = (name: string): string => unquote(members.get(name) ?? '""');
  const submissionId = textOf('id');
  const content = { deploymentId, slug, data: members.get('data') ?? '{}', createdAt: new Date(textOf('created_at')) };
  const body =
    format === 'default'
      ? genericPayload(SUBMISSION, content)
      : standardPayload(SUBMISSION, content, { submissionId, pageUrl: url, isTest: false });
  // It stays each time that this submission is sent, as in the attempts of a delivery.
  const id = submissionId.replace('sub_', 'dl_');
  const headers = { ...signedHeaders({ id, body }, [secret]), ...genericHeaders(slug, url, submissionId) };
  return { submissionId, headers, body };
}

/** Posts a message, and reads the answer to its end. Returns its status; rejects when there is none. */
function post(target: URL, { headers, body }: Message, signal: AbortSignal): Promise<number> {
  const isHere = /(?:^|\.)localhost$/.test(target.hostname) || isLoopback(target.hostname.replaceAll(/[[\]]/g, ''));
  const isTls = target.protocol === 'https:';
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = (isTls ? https : http).request(target, {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    signal,
    ...(isHere && { agent: isTls ? directTls : direct }),
  });
  request.on('error', reject).on('response', (response) => {
    const { statusCode = 0 } = response;
    response.on('error', reject).on('end', () => resolve(statusCode));
    response.resume();
  });
  request.end(body);
  return promise;
}

/** Sends a message, and prints what has become of it. Only Ctrl-C rejects: the next submission may arrive. */
async function forward(target: URL, message: Message, signal: AbortSignal, { json }: Output): Promise<void> {
  const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const outcome: { status: number | null; error: string | null } = await post(
    target,
    message,
    AbortSignal.any([signal, timeout]),
  ).then(
    (status) => ({ status, error: null }),
    (error: unknown) => {
      const late = `no answer within ${ANSWER_TIMEOUT_MS / 1_000} s`;
      return { status: null, error: timeout.aborted ? late : reasonOf(error) };
    },
  );
  signal.throwIfAborted();
  const { submissionId: submission_id } = message;
  if (json) await printLine(JSON.stringify({ submission_id, webhook_id: message.headers['webhook-id'], ...outcome }));
  else await printLine(printable(`${submission_id}  ${outcome.status ?? outcome.error}`));
}

/** The reason of an error of a socket: several addresses have one each. */
function reasonOf(error: unknown): string {
  const inner = error instanceof AggregateError && error.errors[0] instanceof Error ? error.errors[0] : error;
  return messageOf(inner);
}

function targetOf(text: string): URL {
  const target = URL.parse(text);
  if (target && /^https?:$/.test(target.protocol)) return target;
  throw new UsageError('--forward-to is no address: give one such as http://localhost:8080/hook');
}

function secretOf(given: string | undefined): string {
  if (given === undefined) return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  if (SECRET.test(given)) return given;
  throw new UsageError('--secret is no secret of a webhook: give whsec_ and 24 to 64 bytes in base64');
}

/** Sends submissions to a program on this machine as they come, as a webhook would, until Ctrl-C. */
export const declareListen = (webhooks: Command, connect: Connect): unknown =>
  forPage(
    webhooks,
    'listen',
    'Send what comes in to a program on this machine, until Ctrl-C',
    'It prints the secret that signs, then a line for each submission with the status that the program has answered. ' +
      'Each is sent once. Samples that webhooks test sends, and tests of the form, do not come here: submit the form.',
    '$ webhooks listen contact --forward-to http://localhost:8080/hook',
    '$ webhooks listen contact --forward-to http://localhost:8080/hook --after 0',
  )
    .requiredOption('--forward-to <url>', 'address of the program')
    .option('--secret <secret>', 'the secret that signs, such as that of a webhook (a new one)')
    .addOption(
      new Option('--format <format>', 'format of the body, as webhooks have it').choices(FORMATS).default(FORMATS[0]),
    )
    .option('--after <cursor>', 'begin after this submission (its id), or with the first one (0)')
    .action(async (name, { json, after, forwardTo, format, secret: given }) => {
      const [target, secret] = [targetOf(forwardTo), secretOf(given)];
      const { service, id } = await connectToPage(connect, name, { 'Last-Event-ID': '--after' });
      const { data: page } = await service.answer(service.api.GET('/deploy/{id}', { params: { path: { id } } }));
      await printLine(json ? JSON.stringify({ secret }) : secret);
      await untilInterrupted((signal) =>
        followSubmissions(service, { id, after, signal }, (submission) =>
          forward(target, messageAbout(submission, page, { format, secret }), signal, { json }),
        ),
      );
    });
