import fs from 'node:fs/promises';
import type { Command } from '@commander-js/extra-typings';
import { declare } from '../declare.ts';
import { printAnswer, printable, printLine, say } from '../output.ts';
import type { Connect } from './api-requests.ts';
import { bodyOf, readPage } from './page-file.ts';
import { packFolder } from './site-folder.ts';

/** Declares `publish`, which needs no key. `connect` connects without one. */
export const declarePublish = (program: Command, connect: Connect): unknown =>
  declare(
    program,
    'publish',
    'Publish a page for some hours without a key',
    'Prints its address, and on standard error the link with which a person keeps it.',
    '$ publish contact.html',
    '$ publish site',
  )
    .argument('<file>', 'an HTML file, a folder or a zip with index.html, or - for standard input')
    .action(async (file, { json }) => {
      const service = await connect({ html: 'the page' });
      const isFolder = (await fs.stat(file).catch(() => undefined))?.isDirectory() ?? false;
      const isZip = isFolder || /\.zip$/i.test(file);
      const bytes = isFolder ? (await packFolder(file)).zip : await readPage(file);
      const { data, text } = await service.answer(
        service.api.POST('/publish', bodyOf(bytes, isZip ? 'application/zip' : 'text/html')),
      );
      await (json ? printAnswer(text) : printLine(printable(data.url)));
      say(`published until ${data.expires_at}; to keep it, open ${data.claim_url}`);
    });
