import { type Output, printList } from '../output.ts';
import { listDeployments, type Service } from './service.ts';

/** All deployments, newest first. */
export const list = (service: Service, output: Output): Promise<void> =>
  printList(
    listDeployments(service),
    ['ID', 'SLUG', 'SUBMISSIONS', 'UPDATED', 'URL'],
    ({ deployments }) =>
      deployments.map(({ id, slug, submission_count: count, updated_at, url }) => [
        ...[id, slug, String(count), updated_at, url],
      ]),
    output,
  );
