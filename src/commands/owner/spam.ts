import { type Output, printAnswer, printOutcome } from '../output.ts';
import { pagesOf, type Service } from './service.ts';
import { printSubmissions } from './submission-text.ts';

/** Prints the submissions that are kept apart as spam, newest first, each with the reason. */
export async function list(service: Service, id: string, { json }: Output): Promise<void> {
  const pages = pagesOf(service, (query) => service.api.GET('/deploy/{id}/spam', { params: { path: { id }, query } }));
  for await (const { text } of pages) await (json ? printAnswer(text) : printSubmissions(text));
}

/** Accepts a submission that is kept apart as spam. */
export async function release(service: Service, id: string, submissionId: string, output: Output): Promise<void> {
  const { data, text } = await service.answer(
    service.api.POST('/deploy/{id}/spam/{submissionId}/release', { params: { path: { id, submissionId } } }),
  );
  await printOutcome(
    text,
    data.id,
    'released: it is a submission like others now, and webhooks and mail get it',
    output,
  );
}
