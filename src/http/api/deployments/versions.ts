import { z } from 'zod';
import { findVersionHtml, listVersions } from '../../../db/deployments/page-versions.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import type { App } from '../../app.ts';
import { endpoint } from '../../request/endpoint.ts';
import { answerObject, flagField, time, VERSION_NUMBER } from '../../request/fields.ts';
import { Paging, paged } from '../../request/paging.ts';
import { errorKind, HttpError, storageFull } from '../../response/errors.ts';
import { toWire } from '../../response/to-wire.ts';
import { Deployed, toDeployed } from './deployments.ts';
import { ownDeployment } from './own-deployment.ts';
import { exampleHtml, Html, htmlAsJson, publishHtml } from './page-html.ts';

const Version = answerObject('Version', {
  version: z.int().min(1).meta({ description: 'Rises by one with each change of the page.', example: 1 }),
  created_at: time.meta({ description: 'When it went live.' }),
  bytes: z
    .int()
    .min(1)
    .meta({ description: 'The length of its HTML, in bytes of UTF-8.', example: exampleHtml.length }),
  live: flagField('Whether it is what visitors see.', true),
});
const Versions = answerObject('Versions', { versions: z.array(Version), ...paged });

const noSuchVersion = errorKind(
  {
    id: 'NoSuchVersion',
    description:
      "There is no such deployment of the key's owner, or no such version of its page, or it is no longer kept.",
  },
  () => new HttpError(404, 'No such version: choose one that GET /deploy/:id/versions lists.'),
);

/** The HTML of a version; throws 404. */
async function htmlOf(db: Database, deploymentId: string, version: string): Promise<Buffer> {
  const html = VERSION_NUMBER.test(version) ? await findVersionHtml(db, deploymentId, Number(version)) : undefined;
  if (!html) throw noSuchVersion();
  return html;
}

const listEndpoint = ({ db, config }: App) =>
  endpoint({
    method: 'GET',
    path: '/deploy/:id/versions',
    name: 'listVersions',
    summary: 'List the versions of a page',
    description:
      `Newest first. Each change of the HTML makes one; the last ${config.pageVersions} are kept (PAGE_VERSIONS). PUT with ` +
      'the HTML that is live makes none.',
    find: (owner, { id }) => ownDeployment(db, owner, id),
    query: Paging,
    answer: { status: 200, description: 'A page of versions.', schema: Versions },
    async handle({ resource: { id }, query: paging }) {
      const { rows: versions, total } = await listVersions(db, id, paging);
      const listed = versions.map((one) => toWire(Version, { ...one, live: one.isLive }));
      return { versions: listed, total, ...paging };
    },
  });

const getHtmlEndpoint = ({ db }: App) =>
  endpoint({
    method: 'GET',
    path: '/deploy/:id/versions/:version/html',
    name: 'getVersionHtml',
    summary: 'Get the HTML of a version',
    description: 'As it was sent, including `{{FORM_ACTION}}`.',
    find: (owner, { id }) => ownDeployment(db, owner, id),
    answer: { status: 200, description: 'The page as it was.', schema: Html },
    errors: [noSuchVersion],
    handle: async ({ params, resource: { id } }) => htmlAsJson(await htmlOf(db, id, params.version)),
  });

const restoreEndpoint = (app: App) =>
  endpoint({
    method: 'POST',
    path: '/deploy/:id/versions/:version/restore',
    name: 'restoreVersion',
    summary: 'Restore a version',
    description: 'Its HTML is live at once, as a new version: what was live stays in the list.',
    find: (owner, { id }) => ownDeployment(app.db, owner, id),
    answer: { status: 200, description: 'The version is live.', schema: Deployed },
    errors: [storageFull, noSuchVersion],
    async handle({ owner, params, resource }) {
      const html = await htmlOf(app.db, resource.id, params.version);
      return toDeployed(await publishHtml(app, owner, resource, html), app.config);
    },
  });

/** The versions of a page. */
export const versionEndpoints = (app: App) => [listEndpoint(app), getHtmlEndpoint(app), restoreEndpoint(app)];
