import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from '@commander-js/extra-typings';
import { forPage } from '../declare.ts';
import { print, printAnswer, say } from '../output.ts';
import { type Connect, connectToPage, isTransient, pause } from './api-requests.ts';
import { untilInterrupted } from './interrupt.ts';
import { showSubmission } from './submission-text.ts';

/** The service writes a comment line every few seconds. */
const IDLE_TIMEOUT_MS = 45_000;
/** Before a stream that the service has ended is opened again. */
const REOPEN_MS = 500;

type StreamEvent = { id: string | undefined; data: string };

/** The events of a stream (HTML standard, 9.2.6), those without data too: the first one says where the stream begins. */
async function* eventsOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let id: string | undefined;
  let data: string[] = [];
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (id !== undefined || data.length > 0) yield { id, data: data.join('\n') };
        [id, data] = [undefined, []];
      } else if (line.startsWith('id: ')) id = line.slice('id: '.length);
      else if (line.startsWith('data: ')) data.push(line.slice('data: '.length));
    }
  }
}

/**
 * Prints submissions as they come, until Ctrl-C. When the connection breaks, it goes on where it was; only the first
 * connection must succeed.
 */
export const declareTail = (program: Command, connect: Connect): unknown =>
  forPage(program, 'tail', 'Show submissions as they come, until Ctrl-C', '$ tail contact', '$ tail contact --after 0')
    .option('--after <cursor>', 'begin after this submission (its id), or with the first one (0)')
    .action(async (name, { json, after }) => {
      const { service, id } = await connectToPage(connect, name, { 'Last-Event-ID': '--after' });
      await untilInterrupted(async (signal) => {
        let cursor = after;
        let hasBegun = false;
        let failures = 0;
        for (;;) {
          try {
            const pieces = await service.open(`/submissions/${encodeURIComponent(id)}/stream`, {
              type: 'text/event-stream',
              headers: cursor === undefined ? {} : { 'Last-Event-ID': cursor },
              signal,
              idleMs: IDLE_TIMEOUT_MS,
            });
            if (!hasBegun) say('new submissions follow; Ctrl-C ends');
            else if (failures > 0) say('connected again');
            hasBegun = true;
            for await (const event of eventsOf(pieces)) {
              failures = 0;
              if (event.data !== '') await (json ? printAnswer(event.data) : print(`${showSubmission(event.data)}\n`));
              cursor = event.id ?? cursor;
            }
            // The service has ended the stream, because it restarts.
            await delay(REOPEN_MS, undefined, { signal });
          } catch (error) {
            signal.throwIfAborted();
            if (!hasBegun || !isTransient(error)) throw error;
            failures += 1;
            if (failures === 1) say(`${error.message}; trying again`);
            await pause(failures, error, signal);
          }
        }
      });
    });
