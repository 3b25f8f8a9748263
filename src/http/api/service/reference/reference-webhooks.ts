import { z } from 'zod';
import type { ZodOpenApiPathItemObject } from 'zod-openapi';
import { DELIVERY_HEADER, EVENTS, TEST_HEADER } from '../../../../lib/events.ts';
import { SIZES } from '../../../../sizes.ts';
import { exampleOf } from '../../../operation/example.ts';
import {
  answerObject,
  deliveryId,
  deploymentId,
  flagField,
  submissionId,
  textField,
  time,
} from '../../../request/shared-fields.ts';
import { urlField } from '../../deployments/deployment-endpoints.ts';

/*
 * The requests that webhooks receive, for the reference. src/delivery makes it; test/http/api/reference-webhooks.test.ts compares a real
 * delivery with this.
 */

const GenericPayload = answerObject('WebhookPayload', {
  event: z.enum(EVENTS),
  deployment_id: deploymentId,
  data: z.record(z.string(), z.unknown()).meta({
    description: 'The fields, exactly as submitted. A file is `{"filename","content_type","size","url"}`.',
    example: { name: 'Ada', email: 'ada@example.org' },
  }),
  timestamp: time.meta({ description: 'When the form was submitted: ISO 8601, UTC, with milliseconds.' }),
});

const StandardPayload = answerObject('StandardPayload', {
  type: z.literal('submission.created').meta({ description: 'The event.', example: 'submission.created' }),
  timestamp: time.meta({ description: 'When the form was submitted: ISO 8601, UTC, with milliseconds.' }),
  data: answerObject('StandardSubmission', {
    id: submissionId.nullable().meta({ description: "The submission's id; null for a sample." }),
    deployment_id: deploymentId,
    slug: textField("The page's slug.", 'spring-sale'),
    page_url: urlField,
    fields: z.record(z.string(), z.unknown()).meta({
      description: 'The fields, exactly as submitted. A file is `{"filename","content_type","size","url"}`.',
      example: { name: 'Ada', email: 'ada@example.org' },
    }),
    test: flagField('Whether it is a test: a sample, or one of the form.', false),
  }),
});

const { maxFields } = SIZES.slack;

const SlackPayload = answerObject('SlackPayload', {
  blocks: z
    .array(z.looseObject({ type: z.enum(['header', 'section', 'context']) }))
    .length(3)
    .meta({
      description: `In this order: a header with the slug, up to ${maxFields} fields of the form, and the time.`,
    }),
});

const SIGNATURE = 'v1,[0-9A-Za-z+/]{43}=';

const sharedHeaders = z.object({
  'webhook-id': deliveryId.meta({
    description: "The delivery's id, the same on every attempt: a second request with it is a repetition.",
  }),
  'webhook-timestamp': z
    .int()
    .min(0)
    .meta({ description: 'When this attempt was made, in Unix seconds.', example: 1_795_259_328 }),
  'webhook-signature': z
    .string()
    .regex(new RegExp(`^${SIGNATURE}(?: ${SIGNATURE})*$`))
    .meta({
      description:
        'Standard Webhooks 1.0: `v1,` and the HMAC-SHA256, in base64, of `<webhook-id>.<webhook-timestamp>.<body>`, made with the ' +
        "bytes of the webhook's secret. For a day after a rotation there is one for each secret, with spaces between.",
      example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    }),
  [DELIVERY_HEADER]: deliveryId.meta({ description: "The delivery's id again. It marks requests of this service." }),
  [TEST_HEADER]: z
    .literal('true')
    .optional()
    .meta({ description: 'It is a test: a sample, or one that the owner has sent to the form.', example: 'true' }),
});

const genericHeaders = sharedHeaders.extend({
  'formhost-submission-id': submissionId.optional().meta({ description: "The submission's id; a sample has none." }),
  'formhost-slug': textField("The page's slug.", 'spring-sale'),
  'formhost-page-url': urlField,
});

const responses = {
  '2XX': { description: 'The delivery has arrived. The body is not used.' },
  '410': { description: 'Switches the webhook off.' },
  default: { description: 'The delivery is tried again later. Redirects are not followed.' },
};

const slackExample: z.infer<typeof SlackPayload> = {
  blocks: [
    { type: 'header', text: { type: 'plain_text', text: 'New submission for spring-sale' } },
    {
      type: 'section',
      fields: [
        { type: 'mrkdwn', text: '*name*\nAda' },
        { type: 'mrkdwn', text: '*email*\nada@example.org' },
      ],
    },
    { type: 'context', elements: [{ type: 'mrkdwn', text: 'Submitted at 2026-11-21T11:08:48.298Z' }] },
  ],
};

export const webhookRequests: Readonly<Record<string, ZodOpenApiPathItemObject>> = {
  submission: {
    post: {
      operationId: 'receiveSubmission',
      tags: ['Webhooks'],
      summary: 'Receive a submission',
      description:
        'A webhook of the type `generic` receives this for each submission. Verify the signature over the bytes of the body; headers ' +
        'that begin with `formhost-` are not signed. The body and the id are the same on every attempt.',
      security: [],
      requestParams: { header: genericHeaders },
      requestBody: {
        required: true,
        content: { 'application/json': { schema: GenericPayload, example: exampleOf(GenericPayload) } },
      },
      responses,
    },
  },
  standardSubmission: {
    post: {
      operationId: 'receiveStandardSubmission',
      tags: ['Webhooks'],
      summary: 'Receive a submission as Standard Webhooks advises',
      description:
        'A webhook with the format `standard` receives this for each submission. It is signed like `submission`.',
      security: [],
      requestParams: { header: genericHeaders },
      requestBody: {
        required: true,
        content: { 'application/json': { schema: StandardPayload, example: exampleOf(StandardPayload) } },
      },
      responses,
    },
  },
  slackMessage: {
    post: {
      operationId: 'receiveSlackMessage',
      tags: ['Webhooks'],
      summary: 'Receive a submission as a Slack message',
      description:
        "A webhook of the type `slack` receives this for each submission: blocks for Slack's incoming webhooks.",
      security: [],
      requestParams: { header: sharedHeaders },
      requestBody: { required: true, content: { 'application/json': { schema: SlackPayload, example: slackExample } } },
      responses,
    },
  },
};
