import { z } from 'zod';
import { findVersion, listVersions } from '../../../db/deployments/page-version-queries.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import { operation } from '../../operation/operation.ts';
import { REPLACES } from '../../operation/tool.ts';
import { Paging, paged } from '../../request/paging.ts';
import { answerObject, flagField, positiveField, time, VERSION_NUMBER } from '../../request/shared-fields.ts';
import { storageFull } from '../../response/errors.ts';
import { NOTICE_HEADER } from '../../response/notice-header.ts';
import { toWire } from '../../response/to-wire.ts';
import { Deployed, toDeployed } from './deployment-endpoints.ts';
import { foundOr404, missing, ownDeployment } from './own-deployment.ts';
import { exampleHtml, Html, htmlAsJson } from './page-html.ts';
import { publishPage } from './publish-page.ts';
import { Files, filesTable, listFiles, openFile, sendSiteFile, siteFileAnswer } from './site-file-endpoints.ts';

const Version = answerObject('Version', {
  version: positiveField('Rises by one with each change of the page.', 1),
  created_at: time.meta({ description: 'When it went live.' }),
  bytes: positiveField('The length of its HTML and its files, in bytes.', exampleHtml.length),
  live: flagField('Whether it is what visitors see.', true),
  preview: z.literal(true).optional().meta({ description: 'Only of a preview, which was never live.' }),
});
const Versions = answerObject('Versions', { versions: z.array(Version), ...paged });

const noSuchVersion = missing(
  'NoSuchVersion',
  'or no such version of its page, or it is no longer kept',
  'No such version: choose one that {GET /deploy/:id/versions} lists.',
);

const noSuchFile = missing(
  'NoSuchVersionFile',
  'or no such version of its page, or no such file of it',
  'No such file: choose one that {GET /deploy/:id/versions/:version/files} lists.',
);

/** A version with its HTML and files; throws 404. */
const ownVersion = async (db: Database, deploymentId: string, version: string) =>
  foundOr404(
    VERSION_NUMBER.test(version) ? await findVersion(db, deploymentId, Number(version)) : undefined,
    noSuchVersion,
  );

const listOperation = operation('GET', '/deploy/:id/versions', 'listVersions', {
  scope: 'any',
  guests: 'editor',
  tool: {
    name: 'list_versions',
    description: 'Newest first, and which is live.',
    isBounded: true,
  },
  command: {
    usage: 'versions <id>',
    table: {
      columns: ['VERSION', 'CREATED', 'BYTES', 'STATE'],
      rows: ({ versions }) =>
        versions.map(({ version, created_at, bytes, live, preview }) => [
          version,
          created_at,
          bytes,
          live ? 'live' : preview ? 'preview' : null,
        ]),
    },
  },
  summary: 'List the versions of a page',
  description: ({ config }) =>
    `Newest first. Each change of the HTML or of the files makes one; the last ${config.pageVersions} are kept (PAGE_VERSIONS). PUT with ` +
    'the HTML that is live makes none.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  query: Paging,
  answer: { description: 'A page of versions.', schema: Versions },
  async handle({ resource: { id }, query: paging }, { db }) {
    const { rows: versions, total } = await listVersions(db, id, paging);
    const listed = versions.map((one) =>
      toWire(Version, { ...one, live: one.isLive, preview: one.isPreview || undefined }),
    );
    return { versions: listed, total, ...paging };
  },
});

const getHtmlOperation = operation('GET', '/deploy/:id/versions/:version/html', 'getVersionHtml', {
  scope: 'any',
  guests: 'editor',
  command: {
    usage: 'page html <id> --of-version <version>',
    text: 'of this version, as `versions` numbers it',
    shows: 'html',
  },
  summary: 'Get the HTML of a version',
  description: 'As it was sent, including `{{FORM_ACTION}}`.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { description: 'The page as it was.', schema: Html },
  errors: [noSuchVersion],
  handle: async ({ params, resource: { id } }, { db }) => htmlAsJson((await ownVersion(db, id, params.version)).html),
});

const listFilesOperation = operation('GET', '/deploy/:id/versions/:version/files', 'listVersionFiles', {
  scope: 'any',
  guests: 'editor',
  command: {
    usage: 'site list <id> --of-version <version>',
    text: 'of this version, as `versions` numbers it',
    table: filesTable,
  },
  summary: 'List the files of a version',
  description:
    'As `GET /deploy/:id/files` lists those of the live page. Files with one `sha256` have the same content.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { description: 'The files as they were.', schema: Files },
  errors: [noSuchVersion],
  handle: async ({ params, resource: { id } }, { db }) => listFiles(await ownVersion(db, id, params.version)),
});

const getFileOperation = operation('GET', '/deploy/:id/versions/:version/files/*path', 'getVersionFile', {
  scope: 'any',
  guests: 'editor',
  noCommand: '`formhost rollback` makes the files of a version live again.',
  summary: 'Get a file of a version',
  description: 'As it was sent, and always as an attachment.',
  async find(owner, { id, version, path }, app) {
    await ownDeployment(app.db, owner, id);
    return openFile(app, owner, await ownVersion(app.db, id, version), path, noSuchFile);
  },
  answer: siteFileAnswer,
  errors: [noSuchVersion, noSuchFile],
  takesLong: true,
  handle: ({ resource, ...call }, app) => sendSiteFile(call, resource, app),
});

const restoreOperation = operation('POST', '/deploy/:id/versions/:version/restore', 'restoreVersion', {
  scope: 'publish',
  audit: 'page.publish',
  guests: 'editor',
  tool: {
    name: 'restore_version',
    description: 'Undoes changes: the HTML and files of a version are live at once, as a new version.',
    hints: REPLACES,
  },
  noCommand: '`formhost rollback` calls it, by itself with the version before the live one.',
  summary: 'Restore a version',
  description: 'Its HTML and its files are live at once, as a new version: what was live stays in the list.',
  find: (owner, { id }, app) => ownDeployment(app.db, owner, id),
  answer: { description: 'The version is live.', headers: NOTICE_HEADER, schema: Deployed },
  errors: [storageFull, noSuchVersion],
  async handle({ owner, response, params, resource, notify }, app) {
    const { html, files } = await ownVersion(app.db, resource.id, params.version);
    const change = { html, files: () => files };
    return toDeployed(await publishPage(app, { owner, response, notify }, resource, change), app.config);
  },
});

/** The versions of a page. */
export const versionOperations = [
  listOperation,
  getHtmlOperation,
  listFilesOperation,
  getFileOperation,
  restoreOperation,
];
