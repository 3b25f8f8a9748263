import { type Output, printList, printOutcome } from '../output.ts';
import { idOf, listTrash, type Service } from './service.ts';

/** The deleted pages, the last deleted first. */
export const list = (service: Service, output: Output): Promise<void> =>
  printList(
    listTrash(service),
    ['ID', 'SLUG', 'SUBMISSIONS', 'DELETED'],
    ({ deployments }) =>
      deployments.map(({ id, slug, submission_count: count, deleted_at }) => [id, slug, String(count), deleted_at]),
    output,
  );

/** Makes a deleted page live again. Of several with the same slug, it is the last deleted. */
export async function restore(
  service: Service,
  name: string,
  { slug, ...output }: Output & { slug?: string | undefined },
): Promise<void> {
  const id = await idOf(service, name, 'trash');
  const { data, text } = await service.answer(
    service.api.POST('/trash/{id}/restore', { params: { path: { id } }, body: slug === undefined ? {} : { slug } }),
  );
  await printOutcome(text, data.url, `${data.slug} (${id}) is live again, with its submissions`, output);
}
