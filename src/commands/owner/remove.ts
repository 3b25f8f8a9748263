import { agrees, countOf, type Output, printable, printOutcome, say } from '../output.ts';
import type { Service } from './service.ts';

/** Takes a page offline; its submissions are kept. */
export async function remove(
  service: Service,
  id: string,
  { yes, ...output }: Output & { yes?: true | undefined },
): Promise<void> {
  const path = { params: { path: { id } } };
  if (!yes) {
    const { data } = await service.answer(service.api.GET('/deploy/{id}', path));
    const what = `${printable(data.url)} (${printable(data.id)}) with ${countOf(data.submission_count, 'submission')}`;
    if (!(await agrees(`Delete ${what}?`, '--yes'))) {
      say('nothing was deleted');
      process.exitCode = 1;
      return;
    }
  }
  const { text } = await service.answer(service.api.DELETE('/deploy/{id}', path));
  await printOutcome(text, id, `deleted: formhost trash restore ${id} brings it back, with its submissions`, output);
}
