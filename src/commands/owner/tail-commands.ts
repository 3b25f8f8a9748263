import type { Command } from '@commander-js/extra-typings';
import { forPage } from '../declare.ts';
import { print, printAnswer } from '../output.ts';
import { type Connect, connectToPage } from './api-requests.ts';
import { untilInterrupted } from './interrupt.ts';
import { followSubmissions } from './submission-stream.ts';
import { showSubmission } from './submission-text.ts';

/** Prints submissions as they come, until Ctrl-C. */
export const declareTail = (program: Command, connect: Connect): unknown =>
  forPage(program, 'tail', 'Show submissions as they come, until Ctrl-C', '$ tail contact', '$ tail contact --after 0')
    .option('--after <cursor>', 'begin after this submission (its id), or with the first one (0)')
    .action(async (name, { json, after }) => {
      const { service, id } = await connectToPage(connect, name, { 'Last-Event-ID': '--after' });
      await untilInterrupted((signal) =>
        followSubmissions(service, { id, after, signal }, (submission) =>
          json ? printAnswer(submission) : print(`${showSubmission(submission)}\n`),
        ),
      );
    });
