import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { Changed, Deleted, Deployed, Deployments, deploymentBodies, Html, Settings, Status } from '../deployments.ts';
import { deploymentId } from '../fields.ts';
import { Paging } from '../paging.ts';
import { answer, badQuery, keyed, noDeployment, planLimit, slugTaken, withBody } from './answers.ts';

const tags = ['Deployments'];
const path = z.object({ id: deploymentId });

const id = 'd_0VbbZBZKKTcBD17YQfyDgVGm';
const slug = 'spring-sale';
const url = 'https://spring-sale.pages.example.org';
const html =
  '<!doctype html><title>Spring sale</title><form method="post" action="{{FORM_ACTION}}"><input name="email"></form>';

const deployment = {
  id,
  slug,
  status: 'active',
  url,
  submission_count: 3,
  created_at: '2026-11-21T11:08:48.298Z',
  updated_at: '2026-11-21T11:08:48.298Z',
};

export function deploymentPaths(limits: Parameters<typeof deploymentBodies>[0]): ZodOpenApiPathsObject {
  const { Creation, Replacement } = deploymentBodies(limits);
  return {
    '/deploy': {
      get: {
        operationId: 'listDeployments',
        tags,
        summary: 'List your deployments',
        description: 'Newest first. Deleted ones are not in it.',
        requestParams: { query: Paging },
        responses: {
          200: answer('A page of deployments.', Deployments, {
            deployments: [deployment],
            total: 1,
            page: 1,
            limit: 50,
          }),
          ...keyed,
          400: badQuery,
        },
      },
      post: {
        operationId: 'createDeployment',
        tags,
        summary: 'Create a deployment',
        description:
          'Publishes an HTML page at a host of its own. An absent body reads as `{}`, and unknown fields are ignored.',
        requestBody: { required: true, content: { 'application/json': { schema: Creation, example: { html, slug } } } },
        responses: {
          201: answer('The page is live.', Deployed, { id, url, slug }),
          ...keyed,
          ...withBody,
          403: planLimit,
          409: slugTaken,
        },
      },
    },
    '/deploy/{id}/html': {
      get: {
        operationId: 'getHtml',
        tags,
        summary: 'Get the HTML of a deployment',
        description: 'As it was given, `{{FORM_ACTION}}` included.',
        requestParams: { path },
        responses: { 200: answer('The page.', Html, { html }), ...keyed, 404: noDeployment },
      },
    },
    '/deploy/{id}': {
      get: {
        operationId: 'getDeployment',
        tags,
        summary: 'Get the status of a deployment',
        requestParams: { path },
        responses: {
          200: answer('The deployment.', Status, deployment),
          ...keyed,
          404: noDeployment,
        },
      },
      put: {
        operationId: 'replaceHtml',
        tags,
        summary: 'Replace the HTML of a deployment',
        description: 'Address and slug stay. The new page shows at once.',
        requestParams: { path },
        requestBody: { required: true, content: { 'application/json': { schema: Replacement, example: { html } } } },
        responses: {
          200: answer('The new page is live.', Deployed, { id, url, slug }),
          ...keyed,
          ...withBody,
          404: noDeployment,
        },
      },
      patch: {
        operationId: 'changeSettings',
        tags,
        summary: 'Change the settings of a deployment',
        description: 'What is left out stays as it is.',
        requestParams: { path },
        requestBody: { content: { 'application/json': { schema: Settings, example: { email_notifications: true } } } },
        responses: {
          200: answer('The settings are changed.', Changed, { success: true, id }),
          ...keyed,
          ...withBody,
          404: noDeployment,
        },
      },
      delete: {
        operationId: 'deleteDeployment',
        tags,
        summary: 'Delete a deployment',
        description:
          "The page goes offline; its slug and its place under the plan's limit are free; its submissions are kept, but " +
          'no longer reached.',
        requestParams: { path },
        responses: {
          200: answer('The page is offline.', Deleted, { message: 'Deployment deleted', id }),
          ...keyed,
          404: noDeployment,
        },
      },
    },
  };
}
