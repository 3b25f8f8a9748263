import { z } from 'zod';
import type { Database } from '../../db/postgres/connect.ts';
import { findLinkedFile } from '../../db/submission-files.ts';
import { FILE_LINK_DAYS, type SignedLinks } from '../../signed-links.ts';
import { publicEndpoint } from '../endpoint.ts';
import { errorKind, HttpError } from '../errors.ts';
import { LINK_HEADERS, queryOf } from '../link-page.ts';
import type { OwnerConcurrency } from '../owner-concurrency.ts';
import { fileAnswer, type SendFile } from './submission-files.ts';

/** The same for a wrong signature, and for a file that has been deleted. */
const noSuchLink = errorKind(
  {
    id: 'NoSuchFileLink',
    description: 'The link was changed, or the file, its submission or its deployment has been deleted.',
  },
  () => new HttpError(404, 'Check that the link is complete. If it is, the file has been deleted.'),
);
const linkExpired = errorKind(
  { id: 'FileLinkExpired', description: 'The link has expired.' },
  () =>
    new HttpError(
      410,
      `This link has expired: a link to a file works for ${FILE_LINK_DAYS} days. The owner of the page can still get the file with an API key.`,
    ),
);

/** The links to files that mails have. */
export function fileLinkEndpoints({
  db,
  concurrency,
  sendFile,
  links,
}: {
  db: Database;
  concurrency: Pick<OwnerConcurrency, 'begin'>;
  sendFile: SendFile;
  links(): Promise<SignedLinks>;
}) {
  return {
    get: publicEndpoint({
      method: 'GET',
      path: '/files/:deployId/:submissionId/:fileId',
      name: 'openFileLink',
      tag: 'Links',
      summary: 'Get a file by the link in a mail',
      description:
        `As with an API key. A link works for ${FILE_LINK_DAYS} days, while its submission and its deployment exist. ` +
        'Errors are small HTML pages.',
      errorPageTitle: 'This link cannot be opened',
      query: z.object({
        expires: z.string().meta({ description: 'Until when it works, in seconds since 1970.', example: '1795968000' }),
        signature: z.string().meta({
          description: 'A signature of the ids and of `expires`.',
          example: 'KtuzOmS1nxRCbGFkHD0HuT2ZVbZ9O3bNqRzu3kXkzUs',
        }),
      }),
      answer: fileAnswer,
      errors: [noSuchLink, linkExpired],
      handle: (request) => async (response) => {
        const { deployId: deploymentId = '', submissionId = '', fileId = '' } = request.params;
        const linked = { deploymentId, submissionId, fileId };
        // Before anything is looked up: only who has a link can make the database work.
        const state = (await links()).checkFile(linked, queryOf(request));
        if (state === 'wrong') throw noSuchLink();
        if (state === 'expired') throw linkExpired();
        await concurrency.begin(request, response, deploymentId);
        const file = await findLinkedFile(db, linked);
        const first = file && (await sendFile.firstPiece(file));
        if (!file || !first) throw noSuchLink();
        response.setHeaders(new Map(Object.entries({ ...LINK_HEADERS, 'Cache-Control': 'private, no-store' })));
        // A person may open all links of a mail at once.
        await sendFile.send(response, file, first, { sharer: deploymentId, releasesSlot: true });
      },
    }),
  };
}
