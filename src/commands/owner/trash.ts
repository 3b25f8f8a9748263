import type { Command } from '@commander-js/extra-typings';
import { declare, PAGE_ARGUMENT } from '../declare.ts';
import { printList, printOutcome } from '../output.ts';
import { type Connect, idOf, listTrash } from './service.ts';

export function declareTrash(program: Command, connect: Connect): void {
  const group = program.command('trash').description('Bring deleted pages back');
  declare(group, 'list', 'List your deleted pages', '$ trash list').action(async (output) =>
    printList(
      listTrash(await connect()),
      ['ID', 'SLUG', 'SUBMISSIONS', 'DELETED'],
      ({ deployments }) => deployments.map((page) => [page.id, page.slug, page.submission_count, page.deleted_at]),
      output,
    ),
  );
  declare(group, 'restore', 'Make a deleted page live again', '$ trash restore contact')
    .argument('<id>', `${PAGE_ARGUMENT}; of several with this slug, the last deleted`)
    .option('--slug <slug>', 'another slug, where its own is taken')
    .action(async (name, { slug, ...output }) => {
      const service = await connect();
      const id = await idOf(service, name, 'trash');
      const { data, text } = await service.answer(
        service.api.POST('/trash/{id}/restore', { params: { path: { id } }, body: slug === undefined ? {} : { slug } }),
      );
      await printOutcome(text, data.url, `${data.slug} (${id}) is live again, with its submissions`, output);
    });
}
