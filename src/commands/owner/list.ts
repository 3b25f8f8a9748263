import { COMMAND_LIMITS } from '../../limits.ts';
import { type Output, printAnswer, printTable } from '../output.ts';
import type { Service } from './service.ts';

/** All deployments, newest first. */
export async function list(service: Service, { json }: Output): Promise<void> {
  const rows: string[][] = [];
  for (let page = 1, seen = 0; ; page += 1) {
    const { data, text } = await service.answer(
      service.api.GET('/deploy', { params: { query: { page, limit: COMMAND_LIMITS.lists.pageSize } } }),
    );
    if (json) await printAnswer(text);
    for (const { id, slug, submission_count, updated_at, url } of data.deployments) {
      rows.push([id, slug, String(submission_count), updated_at, url]);
    }
    seen += data.deployments.length;
    if (data.deployments.length === 0 || seen >= data.total) break;
  }
  if (!json) await printTable(['ID', 'SLUG', 'SUBMISSIONS', 'UPDATED', 'URL'], rows);
}
