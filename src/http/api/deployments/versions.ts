import { z } from 'zod';
import { replaceHtml } from '../../../db/deployments/deployments.ts';
import { findVersionHtml, listVersions } from '../../../db/deployments/page-versions.ts';
import { hasAltcha } from '../../../db/submissions/forms.ts';
import type { App } from '../../app.ts';
import { JsonPieces } from '../../request/declaration.ts';
import { endpoint } from '../../request/endpoint.ts';
import { time, total, VERSION_NUMBER } from '../../request/fields.ts';
import { Paging, paged } from '../../request/paging.ts';
import { errorKind, HttpError, storageFull } from '../../response/errors.ts';
import { Deployed, exampleDeployed, exampleHtml, Html, htmlAsJson, toDeployed } from './deployments.ts';
import { deploymentOr404, noSuchDeployment, ownDeployment } from './own-deployment.ts';

const Version = z
  .strictObject({
    version: z.int().min(1).meta({ description: 'Rises by one with each change of the page.' }),
    created_at: time.meta({ description: 'When it went live.' }),
    bytes: z.int().min(1).meta({ description: 'The length of its HTML, in bytes of UTF-8.' }),
    live: z.boolean().meta({ description: 'Whether it is what visitors see.' }),
  })
  .meta({ id: 'Version' });
const Versions = z.strictObject({ versions: z.array(Version), total, ...paged }).meta({ id: 'Versions' });

const noSuchVersion = errorKind(
  {
    id: 'NoSuchVersion',
    description:
      "There is no such deployment of the key's owner, or no such version of its page, or it is no longer kept.",
  },
  () => new HttpError(404, 'No such version: choose one that GET /deploy/:id/versions lists.'),
);

/** The versions of a page. */
export function versionEndpoints({ db, config, renderer, onDeploymentChange }: App) {
  /** The HTML of a version; throws 404. */
  async function htmlOf(deploymentId: string, version: string): Promise<Buffer> {
    const html = VERSION_NUMBER.test(version) ? await findVersionHtml(db, deploymentId, Number(version)) : undefined;
    if (!html) throw noSuchVersion();
    return html;
  }

  return {
    list: endpoint({
      method: 'GET',
      path: '/deploy/:id/versions',
      name: 'listVersions',
      tag: 'Deployments',
      summary: 'List the versions of a page',
      description:
        `Newest first. Each change of the HTML makes one; the last ${config.pageVersions} are kept (PAGE_VERSIONS). PUT with ` +
        'the HTML that is live makes none.',
      find: (owner, { id }) => ownDeployment(db, owner, id),
      query: Paging,
      answer: {
        status: 200,
        description: 'A page of versions.',
        schema: Versions,
        example: {
          versions: [{ version: 1, created_at: '2026-11-21T11:08:48.298Z', bytes: exampleHtml.length, live: true }],
          total: 1,
          page: 1,
          limit: 50,
        },
      },
      errors: [noSuchDeployment],
      async handle({ resource: { id }, query: paging }) {
        const { versions, total: all } = await listVersions(db, id, paging);
        return {
          versions: versions.map(({ version, createdAt, bytes, isLive }) => ({
            version,
            created_at: createdAt.toISOString(),
            bytes,
            live: isLive,
          })),
          total: all,
          ...paging,
        };
      },
    }),

    getHtml: endpoint({
      method: 'GET',
      path: '/deploy/:id/versions/:version/html',
      name: 'getVersionHtml',
      tag: 'Deployments',
      summary: 'Get the HTML of a version',
      description: 'As it was sent, including `{{FORM_ACTION}}`.',
      find: (owner, { id }) => ownDeployment(db, owner, id),
      answer: { status: 200, description: 'The page as it was.', schema: Html, example: { html: exampleHtml } },
      errors: [noSuchVersion],
      async handle({ params, resource: { id } }) {
        const html = await htmlOf(id, params.version);
        return new JsonPieces(html.length, htmlAsJson(html));
      },
    }),

    restore: endpoint({
      method: 'POST',
      path: '/deploy/:id/versions/:version/restore',
      name: 'restoreVersion',
      tag: 'Deployments',
      summary: 'Restore a version',
      description: 'Its HTML is live at once, as a new version: what was live stays in the list.',
      find: (owner, { id }) => ownDeployment(db, owner, id),
      answer: { status: 200, description: 'The version is live.', schema: Deployed, example: exampleDeployed },
      errors: [storageFull, noSuchVersion],
      async handle({ owner, params, resource: { id, slug } }) {
        const html = await htmlOf(id, params.version);
        const page = { deploymentId: id, slug, html, hasAltcha: await hasAltcha(db, id) };
        const deployment = deploymentOr404(
          await replaceHtml(db, owner.id, id, await renderer.prepare(owner.id, page), config),
        );
        onDeploymentChange({ deploymentId: deployment.id, slug: deployment.slug });
        return toDeployed(deployment, config);
      },
    }),
  };
}
