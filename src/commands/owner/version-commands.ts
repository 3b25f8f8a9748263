import type { Command } from '@commander-js/extra-typings';
import { CommandError, UsageError } from '../command-error.ts';
import { forPage } from '../declare.ts';
import { printOutcome } from '../output.ts';
import { type Connect, connectToPage, type Service } from './api-requests.ts';

/** The version before the live one. */
async function previousVersion(service: Service, id: string): Promise<string> {
  const { data } = await service.answer(
    service.api.GET('/deploy/{id}/versions', { params: { path: { id }, query: { limit: 100 } } }),
  );
  const previous = data.versions.find(({ live, preview }) => !live && !preview);
  if (!previous) throw new CommandError(`${id} has no version before the live one`);
  return String(previous.version);
}

/** Makes an older version of a page the newest one. */
export const declareRollback = (program: Command, connect: Connect): unknown =>
  forPage(program, 'rollback', 'Make an older version of a page live', '$ rollback contact', '$ rollback contact 3')
    .argument('[version]', 'number of the version (the one before the live one)')
    .action(async (name, given, output) => {
      const { service, id } = await connectToPage(connect, name);
      if (given !== undefined && !/^[1-9][0-9]{0,8}$/.test(given)) {
        throw new UsageError(`${given} is not a version: give a number such as 3`);
      }
      const version = given ?? (await previousVersion(service, id));
      const { data, text } = await service.answer(
        service.api.POST('/deploy/{id}/versions/{version}/restore', { params: { path: { id, version } } }),
      );
      await printOutcome(text, data.url, `version ${version} is live again, as a new version`, output);
    });
