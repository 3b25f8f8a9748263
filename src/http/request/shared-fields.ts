import { z } from 'zod';
import {
  DELIVERY_ID,
  DEPLOYMENT_ID,
  FEED_ID,
  FILE_ID,
  GRANT_ID,
  GUEST_ID,
  KEY_ID,
  OWNER_ID,
  RECIPIENT_ID,
  SESSION_ID,
  SHARE_ID,
  SUBMISSION_ID,
  TOKEN,
  WEBHOOK_ID,
} from '../../lib/ids.ts';

/*
 * Fields that several answers have, and the parameters of paths, as the reference shows them.
 */

const text = (pattern: RegExp, description: string, example: string) =>
  z.string().regex(pattern).meta({ description, example });

export const deploymentId = text(DEPLOYMENT_ID, "A deployment's id.", 'd_0VbbZBZKKTcBD17YQfyDgVGm');
export const submissionId = text(SUBMISSION_ID, "A submission's id.", 'sub_0VbbZBZeswpZ5bGpjxVeCiYz');
export const webhookId = text(WEBHOOK_ID, "A webhook's id.", 'wh_0VbbZC1mQ4nRr8sTtUvWxYzA');
export const keyId = text(KEY_ID, "A key's id, which is not the key.", 'key_0VbbZBZKKTcBD17YQfyDgVGm');
export const ownerId = text(OWNER_ID, "An owner's id.", 'own_12');
export const sessionId = text(SESSION_ID, "A session's id.", 'ses_0VbbZBZKKTcBD17YQfyDgVGm');
export const grantId = text(GRANT_ID, "A grant's id.", 'grant_0VbbZBZKKTcBD17YQfyDgVGm');
export const feedId = text(FEED_ID, "A feed's id.", 'feed_0VbbZC1mQ4nRr8sTtUvWxYzA');
export const guestId = text(GUEST_ID, "A guest's id.", 'gst_0VbbZC1mQ4nRr8sTtUvWxYzA');
export const shareId = text(SHARE_ID, "A share's id, which is not its secret.", 'share_0VbbZC1mQ4nRr8sTtUvWxYzA');
export const deliveryId = text(
  DELIVERY_ID,
  "A delivery's id. Receivers get it as `webhook-id`, the same on every attempt.",
  'dl_0VbbZC2bC3dD4eE5fF6gG7hH',
);

export const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds.', example: '2026-11-21T11:08:48.298Z' });

export const domainName = z
  .string()
  .meta({ description: 'In lower case, with `xn--` for letters beyond ASCII.', example: 'forms.shop.example' });

/** An object in answers, with its name in the reference. */
export const answerObject = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.strictObject(shape).meta({ id });
/*
 * Fields of answers: texts, numbers of things, and whether something is so.
 */
export const textField = (description: string, example: string) => z.string().meta({ description, example });
export const textOrNull = (description: string, example: string | null) =>
  z.string().nullable().meta({ description, example });
export const uriField = (description: string, example: string) =>
  z.string().meta({ format: 'uri', description, example });
export const positiveField = (description: string, example: number) => z.int().min(1).meta({ description, example });
export const countField = (description: string, example: number) => z.int().min(0).meta({ description, example });
export const countOrNull = (description: string, example: number) =>
  z.int().min(0).nullable().meta({ description, example });
export const flagField = (description: string, example: boolean) => z.boolean().meta({ description, example });

/** The number of a version of a page. */
export const VERSION_NUMBER = /^[1-9][0-9]{0,14}$/;

const FIND_DEPLOYMENT = '{GET /deploy} has the ids and slugs of the {deployment}s, {GET /trash} those of deleted ones.';

/** The next step after a 404, as a template, by the last parameter of the path: where what it names is listed. */
export const IF_MISSING: Readonly<Record<string, string>> = {
  id: FIND_DEPLOYMENT,
  deployId: FIND_DEPLOYMENT,
  version: '{GET /deploy} has the {deployment}s, {GET /deploy/:id/versions} the versions of one.',
  cursor:
    '{GET /deploy} has the ids and slugs of the {deployment}s, {GET /submissions/:deployId} the ids of submissions.',
  submissionId: '{GET /submissions/:deployId} has the ids of submissions.',
  ownerId: '{GET /admin/owners} has the ids of owners.',
  fileId: 'The url of a file in a submission has the ids.',
  deliveryId:
    '{GET /webhooks/:deployId} has the ids of webhooks, {GET /webhooks/:deployId/:webhookId/deliveries} those of deliveries.',
  feedId:
    '{GET /deploy/:id/feeds} has the ids of the feeds of a {deployment}, {GET /deploy} those of the {deployment}s.',
  path: FIND_DEPLOYMENT,
  domain: FIND_DEPLOYMENT,
  guestId:
    '{GET /deploy/:id/guests} has the ids of the guests of a {deployment}, {GET /deploy} those of the {deployment}s.',
  shareId:
    '{GET /deploy/:id/shares} has the ids of the shares of a {deployment}, {GET /deploy} those of the {deployment}s.',
  webhookId:
    '{GET /webhooks/:deployId} has the ids of the webhooks of a {deployment}, {GET /deploy} those of the {deployment}s.',
};

const ofPage = deploymentId.meta({ short: 'Id or slug.' });

/** Parameters by their names in paths. `short`: the text for agents and the command line. */
export const PARAMETERS: Readonly<Record<string, z.ZodString>> = {
  id: ofPage,
  deployId: ofPage,
  submissionId: submissionId.meta({ short: 'The id of a submission.' }),
  fileId: text(FILE_ID, "A file's id.", 'file_0VbbZBZfHhIiJjKkLlMmNnOo').meta({
    short: 'The id of a file: the end of its url.',
  }),
  webhookId: webhookId.meta({ short: 'The id of a webhook.' }),
  feedId: feedId.meta({ short: 'The id of a feed.' }),
  guestId: guestId.meta({ short: 'The id of a guest.' }),
  shareId: shareId.meta({ short: 'The id of a share.' }),
  deliveryId,
  recipientId: text(RECIPIENT_ID, "A recipient's id.", 'rcp_0VbbZC1mQ4nRr8sTtUvWxYzA'),
  keyId,
  ownerId,
  sessionId,
  grantId,
  token: text(TOKEN, 'The secret of a link.', 'Yk2dV9sQm4XwT7bN1cR8hJ5gL0pZ3aF6eU2iO9kS4dG'),
  domain: domainName.meta({ short: 'Such as forms.shop.example.' }),
  version: text(VERSION_NUMBER, 'The number of a version.', '1').meta({
    short: 'A number of list_versions.',
  }),
  path: z.string().meta({
    short: 'Such as css/main.css.',
    description: 'The path of a file, with its slashes.',
    example: 'styles/main.css',
  }),
  view: z.string().meta({ description: 'A view of the dashboard.', example: 'inbox' }),
  asset: z.string().meta({ description: 'The name of a file of the dashboard.', example: 'main-0A1b2C3d.js' }),
  guide: z.string().meta({ description: 'The name of a guide.', example: 'forms' }),
  code: z.string().meta({ description: 'The code of an error.', example: 'not-found' }),
  cursor: z.string().meta({
    description: '`0`, the id of a submission, or the cursor of an answer.',
    short: 'The last cursor.',
    example: '0',
  }),
};
