import { type Output, printList } from '../output.ts';
import { idOf, pagesOf, type Service } from './service.ts';

/** The versions of a page that are kept, newest first. */
export async function versions(service: Service, name: string, output: Output): Promise<void> {
  const id = await idOf(service, name);
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
