import { answer, api } from '../api.ts';
import { MAX_LIMIT } from '../dashboard-limits.ts';

/** Counts the submissions that have a field; undefined where there are more than one request reads. */
export async function countField(deployId: string, name: string): Promise<number | undefined> {
  const params = { path: { deployId }, query: { limit: MAX_LIMIT } };
  const { submissions, next_cursor: next } = await answer(api.GET('/submissions/{deployId}/search', { params }));
  if (next !== null) return undefined;
  return submissions.filter(({ data }) => Object.hasOwn(data, name) && data[name] !== '').length;
}
