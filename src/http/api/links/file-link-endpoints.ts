import limitConcurrency from 'p-limit';
import { findLinkedFile } from '../../../db/files/stored-file-queries.ts';
import { networkOf } from '../../../lib/public-address.ts';
import { SIZES } from '../../../sizes.ts';
import { perService } from '../../operation/declaration.ts';
import { publicOperation } from '../../operation/operation.ts';
import { queryOf } from '../../request/query-values.ts';
import { errorKind, HttpError } from '../../response/errors.ts';
import { LINK_HEADERS } from '../../response/link-page.ts';
import { fileAnswer, sendFile } from '../submissions/submission-file-endpoints.ts';
import { ExpiringLink, linkErrors } from './link-endpoint.ts';

/** A wrong signature gets the same error as a file that has been deleted. */
const noSuchLink = errorKind(
  {
    id: 'NoSuchFileLink',
    description:
      'The link was changed; the file, its submission or its deployment has been deleted; or the operator has taken the deployment down, or suspended its owner.',
  },
  () =>
    new HttpError(404, 'Check that the link is complete. If it is, the file has been deleted, or its page taken down.'),
);
const linkExpired = errorKind(
  { id: 'FileLinkExpired', description: 'The link has expired.' },
  () =>
    new HttpError(
      410,
      `This link has expired: a link to a file works for ${SIZES.links.fileDays} days. The owner of the page can still get the file with an API key.`,
    ),
);

/** For all who open links: the pool has ten connections, and other requests need some, as of the bucket. */
const readLimitsOf = perService(() => ({ database: limitConcurrency(3), bucket: limitConcurrency(8) }));

/** The links to files in mails. */
export const fileLinkOperation = publicOperation('GET', '/files/:deployId/:submissionId/:fileId', 'openFileLink', {
  ...linkErrors,
  summary: 'Get a file by the link in a mail',
  description: `As with an API key. A link works for ${SIZES.links.fileDays} days, while the file exists. Errors are small HTML pages.`,
  query: ExpiringLink,
  answer: fileAnswer,
  errors: [noSuchLink, linkExpired],
  async handle(request, response, app) {
    const {
      db,
      secrets: { links },
      files: { openFile },
      requests: { responseWriter, clientAddress },
    } = app;
    const readLimits = readLimitsOf(app);
    const { deployId: deploymentId = '', submissionId = '', fileId = '' } = request.params;
    // Before the first await: a socket that has closed has no address.
    const client = networkOf(clientAddress(request));
    const linked = { deploymentId, submissionId, fileId };
    // Before anything is looked up: only who has a link can make the database work.
    const state = (await links()).checkFile(linked, queryOf(request.url));
    if (state === 'wrong') throw noSuchLink();
    if (state === 'expired') throw linkExpired();
    const file = await readLimits.database(() => findLinkedFile(db, linked));
    if (!file) throw noSuchLink();
    const read = openFile(file, readLimits);
    const first = await read(0);
    if (!first) throw noSuchLink();
    response.set({ ...LINK_HEADERS, 'Cache-Control': 'private, no-store' });
    await sendFile(response, { responseWriter, client }, { file, first, read });
  },
});
