import { z } from 'zod';
import type { ZodOpenApiPathsObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { deploymentId, fileId, submissionId } from '../fields.ts';
import { MAX_FILES } from '../multipart.ts';
import { Paging } from '../paging.ts';
import { Deleted, Listed, Submissions } from '../submissions.ts';
import { MAX_FIELDS, Received } from '../submit.ts';
import {
  answer,
  anyone,
  badQuery,
  keyed,
  noDeployment,
  noFile,
  noForm,
  noSubmission,
  tooManySubmissions,
  withBody,
} from './answers.ts';

const tags = ['Submissions'];
const path = z.object({ deployId: deploymentId });

const cors = {
  'Access-Control-Allow-Origin': { description: 'Pages of any origin may read it.', schema: { const: '*' } },
};
const one = z.object({ deployId: deploymentId, submissionId });
const file = (description: string, type: string, example: string) => ({
  description,
  headers: {
    'Content-Disposition': {
      description: 'A filename of the slug and the date.',
      schema: { type: 'string' as const },
    },
  },
  content: { [type]: { schema: { type: 'string' as const }, example } },
});
const example = { name: 'Ada', email: 'ada@example.org' };
// The page that shows the reference sends of a form what is named here, filled in. The trap must not be.
const sample = {
  name: { type: 'string' as const, example: example.name },
  email: { type: 'string' as const, example: example.email },
};

const submission = {
  id: 'sub_0VbbZBZeswpZ5bGpjxVeCiYz',
  data: example,
  ip_address: '203.0.113.7',
  created_at: '2026-11-21T11:08:48.298Z',
};

/** A browser that posts a form, and names text/html in its Accept, is shown a page in the same status. */
const forVisitors = (responses: Record<number, ZodOpenApiResponseObject>): Record<string, ZodOpenApiResponseObject> =>
  Object.fromEntries(
    Object.entries(responses).map(([status, { id: _shared, ...response }]) => [
      status,
      response.content
        ? {
            ...response,
            content: { ...response.content, 'text/html': { schema: { type: 'string' }, example: '<!doctype html>' } },
          }
        : response,
    ]),
  );

/** Bytes of names and values, decoded; of a file; of all files of a submission. */
type Limits = { maxSubmissionBytes: number; maxFileBytes: number; maxFilesBytes: number };

export function submissionPaths(limits: Limits): ZodOpenApiPathsObject {
  const { maxSubmissionBytes, maxFileBytes, maxFilesBytes } = limits;
  const fields = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
  const form = fields.meta({ maxProperties: MAX_FIELDS, properties: sample });
  const multipart = fields.meta({
    maxProperties: MAX_FIELDS,
    properties: sample,
    description: 'Any part may be a file: one with a filename.',
  });
  const json = z.record(z.string(), z.unknown()).meta({ maxProperties: MAX_FIELDS });
  return {
    '/submit/{deployId}': {
      post: {
        operationId: 'submit',
        tags,
        summary: 'Submit a form',
        description:
          'What the forms of deployed pages post to; needs no key. Takes any fields, in UTF-8: a JSON object (nested at ' +
          'most 100 levels; its text is kept as it is), or a form (names are literal; a name that repeats becomes a list). ' +
          `At most ${MAX_FIELDS} fields and ${maxSubmissionBytes} bytes of names and values, and in multipart ${MAX_FILES} ` +
          `files of ${maxFileBytes} bytes each, ${maxFilesBytes} together. Answered once it is stored. ` +
          'Fields named here are an example. `_hp` is a trap for robots: with anything in it, the answer is that of a success, ' +
          'and nothing is stored or delivered. It may answer 415, 413 and 400 before 404. Every answer, errors included, carries ' +
          '`Access-Control-Allow-Origin: *`. A browser that posts a form (urlencoded or multipart, with an Accept that names ' +
          'text/html) is shown a small page in the same status.',
        security: [],
        requestParams: { path },
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: json, example },
            'application/x-www-form-urlencoded': { schema: form, example },
            'multipart/form-data': { schema: multipart, example },
          },
        },
        responses: forVisitors({
          200: {
            ...answer('The submission is stored.', Received, {
              message: 'Submission received',
              id: 'sub_0VbbZBZeswpZ5bGpjxVeCiYz',
            }),
            headers: cors,
          },
          ...anyone,
          ...withBody,
          404: noForm,
          303: {
            description: 'To where the field `_redirect` of a form says; for a browser only.',
            headers: {
              ...cors,
              Location: { description: "An address of the page's own.", schema: { type: 'string' } },
            },
          },
          429: tooManySubmissions,
        }),
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
            submissions: [submission],
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
    '/submissions/{deployId}/{submissionId}/files/{fileId}': {
      get: {
        operationId: 'getFile',
        tags,
        summary: 'Get a file of a submission',
        description: 'As it was sent, and always as an attachment.',
        requestParams: { path: z.object({ deployId: deploymentId, submissionId, fileId }) },
        responses: {
          200: {
            description: 'The file, under the type that it was sent with.',
            headers: {
              'Content-Disposition': { description: '`attachment`, and its name.', schema: { type: 'string' } },
            },
            content: { '*/*': { schema: { type: 'string', format: 'binary' }, example: 'Dear Ada, ...' } },
          },
          ...keyed,
          404: noFile,
        },
      },
    },
    '/submissions/{deployId}/{submissionId}': {
      get: {
        operationId: 'getSubmission',
        tags,
        summary: 'Get a submission',
        requestParams: { path: one },
        responses: { 200: answer('The submission.', Listed, submission), ...keyed, 404: noSubmission },
      },
      delete: {
        operationId: 'deleteSubmission',
        tags,
        summary: 'Delete a submission',
        description: 'For good: what was submitted, and its pending deliveries.',
        requestParams: { path: one },
        responses: {
          200: answer('It is gone.', Deleted, {
            message: 'Submission deleted',
            id: 'sub_0VbbZBZeswpZ5bGpjxVeCiYz',
          }),
          ...keyed,
          404: noSubmission,
        },
      },
    },
    '/submissions/{deployId}/export.csv': {
      get: {
        operationId: 'exportCsv',
        tags,
        summary: 'Get all submissions of a deployment as CSV',
        description:
          'Oldest first, RFC 4180 with a header row: `id`, `created_at`, `ip_address`, then the fields in the order in which ' +
          'they first appear. A cell that a spreadsheet would take for a formula has an apostrophe before it. A 503 also says ' +
          'that too many exports are under way.',
        requestParams: { path },
        responses: {
          200: file(
            'All of them.',
            'text/csv',
            'id,created_at,ip_address,name\r\nsub_0VbbZBZeswpZ5bGpjxVeCiYz,2026-11-21T11:08:48.298Z,203.0.113.7,Ada\r\n',
          ),
          ...keyed,
          404: noDeployment,
        },
      },
    },
    '/submissions/{deployId}/export.ndjson': {
      get: {
        operationId: 'exportNdjson',
        tags,
        summary: 'Get all submissions of a deployment as lines of JSON',
        description:
          'Oldest first, each line a submission as `GET /submissions/{deployId}/{submissionId}` answers it. A 503 also says ' +
          'that too many exports are under way.',
        requestParams: { path },
        responses: {
          200: file('All of them.', 'application/x-ndjson', `${JSON.stringify(submission)}\n`),
          ...keyed,
          404: noDeployment,
        },
      },
    },
  };
}
