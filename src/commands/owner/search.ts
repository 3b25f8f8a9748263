import type { Command } from '@commander-js/extra-typings';
import { forPage } from '../declare.ts';
import { COMMAND_LIMITS } from '../limits.ts';
import { countOf, printAnswer, say } from '../output.ts';
import { untilInterrupted } from './interrupt.ts';
import { type Connect, connectToPage, retry } from './service.ts';
import { printSubmissions } from './submission-text.ts';

/** Tries in a row that bring nothing new. */
const TRIES = 6;

/** Prints all submissions in which a text is, newest first. A page that fails is asked for again, except the first. */
export const declareSearch = (program: Command, connect: Connect): unknown =>
  forPage(
    program,
    'search',
    'Find submissions by a text in them',
    'With --json there is a line for each answer of the API.',
    '$ search contact ada@example.org',
    '$ search contact "" --unread --from 2026-11-01',
  )
    .argument('<query>', 'text to find, in any case; "" finds all')
    .option('--from <time>', 'received from this time or day on')
    .option('--to <time>', 'received before this time or day')
    .option('--unread', 'only what is not marked as read')
    .option('--starred', 'only what has a star')
    .action(async (name, q, { json, from, to, unread, starred }) => {
      const { service, id } = await connectToPage(connect, name);
      const conditions = {
        ...(q !== '' && { q }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(unread && { unread: 'true' as const }),
        ...(starred && { starred: 'true' as const }),
        limit: COMMAND_LIMITS.pageSize,
      };
      await untilInterrupted(async (signal) => {
        let found = 0;
        let cursor: string | null | undefined;
        while (cursor !== null) {
          const query = { ...conditions, ...(cursor !== undefined && { cursor }) };
          const params = { path: { deployId: id }, query };
          const { data, text } = await retry(
            () => service.answer(service.api.GET('/submissions/{deployId}/search', { params, signal })),
            { times: cursor === undefined ? 0 : TRIES, signal },
          );
          await (json ? printAnswer(text) : printSubmissions(text));
          found += data.submissions.length;
          cursor = data.next_cursor;
        }
        if (!json) say(`${countOf(found, 'submission')} found`);
      });
    });
