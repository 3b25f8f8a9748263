import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from '@commander-js/extra-typings';
import { EVENTS } from '../../lib/events.ts';
import { SIZES } from '../../sizes.ts';
import { UsageError } from '../command-error.ts';
import { forPage } from '../declare.ts';
import { printAnswer, printable, printLine, printList, printOutcome, say } from '../output.ts';
import { type Connect, connectToPage, type Service } from './service.ts';

const { maxLimit } = SIZES.list;
/** How long the first attempt of a sample submission is waited for, and how often the command looks for it. */
const ATTEMPT_TIMEOUT_MS = 20_000;
const POLL_MS = 250;

export function declareWebhooks(program: Command, connect: Connect): void {
  const group = program.command('webhooks').description('Send submissions to other programs');
  const commands = [declareAdd, declareList, declareTest, declareLog, declareRetry, declareSecret];
  for (const declareCommand of commands) declareCommand(group, connect);
  declareSwitch(group, connect, false);
  declareSwitch(group, connect, true);
  declareRemove(group, connect);
}

/** Declares a command about one webhook. */
const forWebhook = (group: Command, name: string, description: string, more = '') =>
  forPage(group, name, description, `$ webhooks ${name} contact wh_0Vbb…${more}`).argument(
    '<webhook>',
    'id of the webhook',
  );

/** The service, and the parameters of requests about one webhook of a page that is named by its id or its slug. */
async function connectToWebhook(connect: Connect, name: string, webhookId: string) {
  const { service, id: deployId } = await connectToPage(connect, name);
  return { service, path: { deployId, webhookId } };
}

const declareAdd = (group: Command, connect: Connect): unknown =>
  forPage(group, 'add', 'Add a webhook, and print its id', '$ webhooks add contact https://example.org/hook')
    .argument('<url>', 'where submissions are sent')
    .addOption(new Option('--type <type>', 'generic or slack').choices(['generic', 'slack'] as const))
    .addOption(new Option('--events <event...>', 'what is sent (all)').choices(EVENTS))
    .action(async (name, url, { type, events, ...output }) => {
      const { service, id } = await connectToPage(connect, name);
      const { data, text } = await service.answer(
        service.api.POST('/webhooks/{deployId}', {
          params: { path: { deployId: id } },
          body: { url, ...(type && { type }), ...(events && { events }) },
        }),
      );
      await printOutcome(text, data.id, `try it: formhost webhooks test ${name} ${data.id}`, output);
    });

const declareList = (group: Command, connect: Connect): unknown =>
  forPage(group, 'list', 'List the webhooks of a page', '$ webhooks list contact').action(async (name, output) => {
    const { service, id } = await connectToPage(connect, name);
    await printList(
      [await service.answer(service.api.GET('/webhooks/{deployId}', { params: { path: { deployId: id } } }))],
      ['ID', 'TYPE', 'STATE', 'EVENTS', 'CREATED', 'URL'],
      ({ webhooks }) =>
        webhooks.map(({ id, type, active, events, created_at, url }) => {
          return [id, type, active ? 'active' : 'off', events.join(','), created_at, url];
        }),
      output,
    );
  });

/** Sends a sample submission, and says what has become of it. */
const declareTest = (group: Command, connect: Connect): unknown =>
  forWebhook(group, 'test', 'Send a sample submission, and wait for its outcome').action(
    async (name, webhookId, { json }) => {
      const { service, path } = await connectToWebhook(connect, name, webhookId);
      const { data, text } = await service.answer(
        service.api.POST('/webhooks/{deployId}/{webhookId}/test', { params: { path } }),
      );
      if (json) return await printAnswer(text);
      await printLine(printable(data.id));
      const until = performance.now() + ATTEMPT_TIMEOUT_MS;
      for (;;) {
        const { data: log } = await readLog(service, path);
        const sent = log.deliveries.find(({ id }) => id === data.id);
        if (sent?.status === 'succeeded') return say(`the receiver has answered ${sent.last_status}`);
        if (sent?.last_error) {
          const next = sent.next_attempt_at === null ? '' : `; it is tried again at ${sent.next_attempt_at}`;
          say(`it has failed: ${sent.last_error}${next}`);
          process.exitCode = 1;
          return;
        }
        if (performance.now() > until)
          return say(`it is under way: formhost webhooks log ${name} ${webhookId} shows what becomes of it`);
        await delay(POLL_MS);
      }
    },
  );

const readLog = (service: Service, path: { deployId: string; webhookId: string }, limit?: number) =>
  service.answer(
    service.api.GET('/webhooks/{deployId}/{webhookId}/deliveries', {
      params: { path, query: limit === undefined ? {} : { limit } },
    }),
  );

function readLimit(text: string): number {
  if (/^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= maxLimit) return Number(text);
  throw new UsageError(`--limit is a number from 1 to ${maxLimit}`);
}

const declareLog = (group: Command, connect: Connect): unknown =>
  forWebhook(group, 'log', 'List the deliveries of a webhook, newest first')
    .addOption(new Option('--limit <number>', `how many, at most ${maxLimit}`).argParser(readLimit).default(20))
    .action(async (name, webhookId, { limit, ...output }) => {
      const { service, path } = await connectToWebhook(connect, name, webhookId);
      const answered = await readLog(service, path, limit);
      await printList(
        [answered],
        ['ID', 'STATUS', 'ATTEMPTS', 'ANSWER', 'UPDATED', 'SUBMISSION', 'ERROR'],
        ({ deliveries }) =>
          deliveries.map(({ id, status, attempts, last_status, updated_at, submission_id, last_error }) => {
            return [id, status, attempts, last_status, updated_at, submission_id ?? 'test', last_error];
          }),
        output,
      );
      const { total, deliveries } = answered.data;
      if (!output.json && total > deliveries.length)
        say(`${deliveries.length} of ${total} deliveries: --limit shows up to ${maxLimit}`);
    });

const declareRetry = (group: Command, connect: Connect): unknown =>
  forWebhook(group, 'retry', 'Send a delivery again', ' dl_0Vbb…')
    .argument('<delivery>', 'id of the delivery')
    .action(async (name, webhookId, deliveryId, output) => {
      const { service, path } = await connectToWebhook(connect, name, webhookId);
      const { data, text } = await service.answer(
        service.api.POST('/webhooks/{deployId}/{webhookId}/deliveries/{deliveryId}/retry', {
          params: { path: { ...path, deliveryId } },
        }),
      );
      const message = `it is sent again: formhost webhooks log ${name} ${webhookId} shows what becomes of it`;
      await printOutcome(text, data.id, message, output);
    });

/** Prints the secret that signs a webhook's deliveries, or a new one. */
const declareSecret = (group: Command, connect: Connect): unknown =>
  forWebhook(group, 'secret', 'Print the secret that signs what is sent')
    .option('--rotate', 'make a new one; for 24 hours the old one signs as well')
    .action(async (name, webhookId, { json, rotate }) => {
      const { service, path } = await connectToWebhook(connect, name, webhookId);
      const { data, text } = await service.answer(
        rotate
          ? service.api.POST('/webhooks/{deployId}/{webhookId}/secret/rotate', { params: { path } })
          : service.api.GET('/webhooks/{deployId}/{webhookId}/secret', { params: { path } }),
      );
      if (json) return await printAnswer(text);
      await printLine(printable(data.secret));
      if (rotate) say('for 24 hours the secret before signs as well');
    });

/** Switches a webhook on or off. */
const declareSwitch = (group: Command, connect: Connect, active: boolean): unknown =>
  forWebhook(group, active ? 'enable' : 'disable', active ? 'Send again' : 'Send nothing for a time').action(
    async (name, webhookId, output) => {
      const { service, path } = await connectToWebhook(connect, name, webhookId);
      const { text } = await service.answer(
        service.api.PATCH('/webhooks/{deployId}/{webhookId}', { params: { path }, body: { active } }),
      );
      const off = 'disabled: pending deliveries wait, and new submissions are not sent';
      await printOutcome(text, webhookId, active ? 'enabled: pending deliveries are sent' : off, output);
    },
  );

const declareRemove = (group: Command, connect: Connect): unknown =>
  forWebhook(group, 'remove', 'Remove a webhook').action(async (name, webhookId, output) => {
    const { service, path } = await connectToWebhook(connect, name, webhookId);
    const { text } = await service.answer(service.api.DELETE('/webhooks/{deployId}/{webhookId}', { params: { path } }));
    await printOutcome(text, webhookId, 'removed, with its pending deliveries', output);
  });
