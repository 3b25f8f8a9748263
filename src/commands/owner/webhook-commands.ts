import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from '@commander-js/extra-typings';
import { forPage } from '../declare.ts';
import { printAnswer, printable, printLine, say } from '../output.ts';
import { type Connect, connectToPage } from './api-requests.ts';

/** How long the first attempt of a sample submission is waited for, and how often the command looks for it. */
const ATTEMPT_TIMEOUT_MS = 20_000;
const POLL_MS = 250;

/** Sends a sample submission, and says what has become of it. */
export const declareTest = (webhooks: Command, connect: Connect): unknown =>
  forPage(webhooks, 'test', 'Send a sample submission, and wait for its outcome', '$ webhooks test contact wh_0Vbb…')
    .argument('<webhook>', 'id of the webhook')
    .action(async (name, webhookId, { json }) => {
      const { service, id: deployId } = await connectToPage(connect, name);
      const path = { deployId, webhookId };
      const { data, text } = await service.answer(
        service.api.POST('/webhooks/{deployId}/{webhookId}/test', { params: { path } }),
      );
      if (json) return await printAnswer(text);
      await printLine(printable(data.id));
      const until = performance.now() + ATTEMPT_TIMEOUT_MS;
      for (;;) {
        const { data: log } = await service.answer(
          service.api.GET('/webhooks/{deployId}/{webhookId}/deliveries', { params: { path } }),
        );
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
    });
