import type { Command } from '@commander-js/extra-typings';
import { sitePath } from '../../sites/site-paths.ts';
import { UsageError } from '../command-error.ts';
import { forPage } from '../declare.ts';
import { printOutcome } from '../output.ts';
import { type Connect, connectToPage } from './api-requests.ts';
import { getFile, IDLE_TIMEOUT_MS, OUTPUT } from './export-commands.ts';
import { readPage } from './page-file.ts';

const PATH = 'path of the file at the address of the page';

/** Returns the path of a file of a page. Throws a UsageError for what cannot be one, which could lead to another operation. */
function readPath(text: string): string {
  const read = sitePath(text);
  if ('error' in read) throw new UsageError(read.error);
  return read.path;
}

/** Declares the commands for the content of one file of a page. */
export function declareSiteFiles(site: Command, connect: Connect): void {
  forPage(site, 'get', 'Get a file of a page as it was sent', '$ site get contact styles/main.css --output main.css')
    .argument('<path>', PATH)
    .option('--output <file>', OUTPUT)
    .action((name, given, options) => {
      const path = readPath(given);
      return getFile(options, async (signal) => {
        const { service, id } = await connectToPage(connect, name);
        const address = `/deploy/${encodeURIComponent(id)}/files/${path.split('/').map(encodeURIComponent).join('/')}`;
        return service.open(address, { type: '', signal, idleMs: IDLE_TIMEOUT_MS });
      });
    });
  forPage(site, 'put', 'Add a file to a page, or replace it', '$ site put contact styles/main.css main.css')
    .argument('<path>', PATH)
    .argument('<file>', 'the file, or - for standard input')
    .action(async (name, given, file, output) => {
      const path = readPath(given);
      const { service, id } = await connectToPage(connect, name);
      const { data, text } = await service.answer(
        service.api.PUT('/deploy/{id}/files/{path}', {
          ...{ params: { path: { id, path } }, body: await readPage(file) },
          headers: { 'Content-Type': 'application/octet-stream' },
        }),
      );
      await printOutcome(text, data.path, `${path} is live, as a new version of the page`, output);
    });
}
