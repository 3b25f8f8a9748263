import { type Output, printList } from '../output.ts';
import { pagesOf, type Service } from './service.ts';

/** The versions of a page that are kept, newest first. */
export async function versions(service: Service, id: string, output: Output): Promise<void> {
  await printList(
    pagesOf(service, (query) => service.api.GET('/deploy/{id}/versions', { params: { path: { id }, query } })),
    ['VERSION', 'CREATED', 'BYTES', 'STATE'],
    ({ versions: all }) =>
      all.map(({ version, created_at, bytes, live }) => [
        ...[String(version), created_at, String(bytes), live ? 'live' : '-'],
      ]),
    output,
  );
}
