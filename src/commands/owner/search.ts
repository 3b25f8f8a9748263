import { COMMAND_LIMITS } from '../limits.ts';
import { countOf, type Output, printAnswer, say } from '../output.ts';
import { untilInterrupted } from './interrupt.ts';
import { retry, type Service } from './service.ts';
import { printSubmissions } from './submission-text.ts';

export type SearchOptions = Output & {
  from?: string | undefined;
  to?: string | undefined;
  unread?: true | undefined;
  starred?: true | undefined;
};

/** Prints all submissions in which a text is, newest first. A page that fails is asked for again, except the first. */
export const search = (service: Service, id: string, q: string, { json, ...filters }: SearchOptions): Promise<void> =>
  untilInterrupted(async (signal) => {
    const conditions = {
      ...(q !== '' && { q }),
      ...(filters.from !== undefined && { from: filters.from }),
      ...(filters.to !== undefined && { to: filters.to }),
      ...(filters.unread && { unread: 'true' as const }),
      ...(filters.starred && { starred: 'true' as const }),
    };
    let found = 0;
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const query = {
        ...conditions,
        limit: COMMAND_LIMITS.lists.searchPageSize,
        ...(cursor !== undefined && { cursor }),
      };
      const params = { path: { deployId: id }, query };
      const times = cursor === undefined ? 0 : COMMAND_LIMITS.requests.searchTries;
      const { data, text } = await retry(
        () => service.answer(service.api.GET('/submissions/{deployId}/search', { params, signal })),
        { times, signal },
      );
      await (json ? printAnswer(text) : printSubmissions(text));
      found += data.submissions.length;
      cursor = data.next_cursor;
    }
    if (!json) say(`${countOf(found, 'submission')} found`);
  });
