import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { deploymentId } from '../fields.ts';
import { Paging } from '../paging.ts';
import { Submissions } from '../submissions.ts';
import { MAX_FIELDS, Received } from '../submit.ts';
import {
  answer,
  anyone,
  badBody,
  badQuery,
  keyed,
  noDeployment,
  noForm,
  tooLarge,
  tooManySubmissions,
  wrongType,
} from './answers.ts';

const tags = ['Submissions'];
const path = z.object({ deployId: deploymentId });

const honeypot =
  'A trap for robots: with anything in it, the answer is that of a success, and nothing is stored or delivered.';
const cors = {
  'Access-Control-Allow-Origin': { description: 'Pages of any origin may read it.', schema: { const: '*' } },
};
const example = { name: 'Ada', email: 'ada@example.org' };

/** `maxSubmissionBytes`: of names and values, decoded. */
export function submissionPaths({ maxSubmissionBytes }: { maxSubmissionBytes: number }): ZodOpenApiPathsObject {
  const form = z
    .record(z.string(), z.union([z.string(), z.array(z.string())]))
    .meta({ maxProperties: MAX_FIELDS, properties: { _hp: { type: 'string', description: honeypot } } });
  const json = z
    .record(z.string(), z.unknown())
    .meta({ maxProperties: MAX_FIELDS, properties: { _hp: { description: honeypot } } });
  return {
    '/submit/{deployId}': {
      post: {
        operationId: 'submit',
        tags,
        summary: 'Submit a form',
        description:
          'What the forms of deployed pages post to; needs no key. Takes any fields, in UTF-8: a JSON object (nested at ' +
          'most 100 levels; its text is kept as it is), or a form (names are literal; a name that repeats becomes a list). ' +
          `At most ${MAX_FIELDS} fields and ${maxSubmissionBytes} bytes of names and values. Answered once it is stored. ` +
          'It may answer 415, 413 and 400 before 404. Every answer, errors included, carries ' +
          '`Access-Control-Allow-Origin: *`.',
        security: [],
        requestParams: { path },
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: json, example },
            'application/x-www-form-urlencoded': { schema: form, example },
            'multipart/form-data': { schema: form, example },
          },
        },
        responses: {
          200: {
            ...answer('The submission is stored.', Received, {
              message: 'Submission received',
              id: 'sub_0VbbZBZeswpZ5bGpjxVeCiYz',
            }),
            headers: cors,
          },
          ...anyone,
          400: badBody,
          404: noForm,
          413: tooLarge,
          415: wrongType,
          429: tooManySubmissions,
        },
      },
      options: {
        operationId: 'submitPreflight',
        tags,
        summary: 'Ask whether a page of another origin may submit',
        description: 'What browsers send by themselves (CORS). Any origin may, with any headers, without credentials.',
        security: [],
        requestParams: { path },
        responses: { 204: { description: 'It may.', headers: cors }, ...anyone },
      },
    },
    '/submissions/{deployId}': {
      get: {
        operationId: 'listSubmissions',
        tags,
        summary: 'List the submissions of a deployment',
        description: 'Newest first.',
        requestParams: { path, query: Paging },
        responses: {
          200: answer('A page of submissions.', Submissions, {
            submissions: [
              {
                id: 'sub_0VbbZBZeswpZ5bGpjxVeCiYz',
                data: example,
                ip_address: '203.0.113.7',
                created_at: '2026-11-21T11:08:48.298Z',
              },
            ],
            total: 1,
            page: 1,
            limit: 50,
          }),
          ...keyed,
          400: badQuery,
          404: noDeployment,
        },
      },
    },
  };
}
