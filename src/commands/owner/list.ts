import { type Output, printAnswer, printTable } from '../output.ts';
import { listDeployments, type Service } from './service.ts';

/** All deployments, newest first. */
export async function list(service: Service, { json }: Output): Promise<void> {
  const rows: string[][] = [];
  for await (const { data, text } of listDeployments(service)) {
    if (json) await printAnswer(text);
    for (const { id, slug, submission_count, updated_at, url } of data.deployments) {
      rows.push([id, slug, String(submission_count), updated_at, url]);
    }
  }
  if (!json) await printTable(['ID', 'SLUG', 'SUBMISSIONS', 'UPDATED', 'URL'], rows);
}
