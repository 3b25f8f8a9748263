import type { Command } from '@commander-js/extra-typings';
import { forPage } from '../declare.ts';
import { printAnswer, printOutcome } from '../output.ts';
import { type Connect, connectToPage, pagesOf } from './service.ts';
import { printSubmissions } from './submission-text.ts';

export function declareSpam(program: Command, connect: Connect): void {
  const group = program.command('spam').description('Submissions that were kept apart as spam');
  forPage(group, 'list', 'List the spam of a page, with the reasons', '$ spam list contact').action(
    async (name, { json }) => {
      const { service, id } = await connectToPage(connect, name);
      const pages = pagesOf(service, (query) =>
        service.api.GET('/deploy/{id}/spam', { params: { path: { id }, query } }),
      );
      for await (const { text } of pages) await (json ? printAnswer(text) : printSubmissions(text));
    },
  );
  forPage(group, 'release', 'Accept a submission that is no spam', '$ spam release contact sub_0Vbb…')
    .argument('<submission>', 'id of the submission')
    .action(async (name, submissionId, output) => {
      const { service, id } = await connectToPage(connect, name);
      const { data, text } = await service.answer(
        service.api.POST('/deploy/{id}/spam/{submissionId}/release', { params: { path: { id, submissionId } } }),
      );
      const message = 'released: it is a submission like others now, and webhooks and mail get it';
      await printOutcome(text, data.id, message, output);
    });
}
