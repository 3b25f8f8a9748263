import { z } from 'zod';
import {
  DELIVERY_ID,
  DEPLOYMENT_ID,
  FILE_ID,
  KEY_ID,
  RECIPIENT_ID,
  SUBMISSION_ID,
  TOKEN,
  WEBHOOK_ID,
} from '../../lib/ids.ts';

/*
 * Fields that several answers have, and the parameters of paths, as the reference shows them.
 */

export const deploymentId = z
  .string()
  .regex(DEPLOYMENT_ID)
  .meta({ description: "A deployment's id.", example: 'd_0VbbZBZKKTcBD17YQfyDgVGm' });

export const submissionId = z
  .string()
  .regex(SUBMISSION_ID)
  .meta({ description: "A submission's id.", example: 'sub_0VbbZBZeswpZ5bGpjxVeCiYz' });

const fileId = z
  .string()
  .regex(FILE_ID)
  .meta({ description: "A file's id.", example: 'file_0VbbZBZfHhIiJjKkLlMmNnOo' });

export const webhookId = z
  .string()
  .regex(WEBHOOK_ID)
  .meta({ description: "A webhook's id.", example: 'wh_0VbbZC1mQ4nRr8sTtUvWxYzA' });

export const keyId = z
  .string()
  .regex(KEY_ID)
  .meta({ description: "A key's id, which is not the key.", example: 'key_0VbbZBZKKTcBD17YQfyDgVGm' });

export const deliveryId = z.string().regex(DELIVERY_ID).meta({
  description: "A delivery's id. Receivers get it as `webhook-id`, the same on every attempt.",
  example: 'dl_0VbbZC2bC3dD4eE5fF6gG7hH',
});

export const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time', description: 'ISO 8601, UTC, with milliseconds.', example: '2026-11-21T11:08:48.298Z' });

/** An object in answers, with its name in the reference. */
export const answerObject = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.strictObject(shape).meta({ id });
/*
 * Fields of answers: texts, numbers of things, and whether something is so.
 */
export const textField = (description: string, example: string) => z.string().meta({ description, example });
export const textOrNull = (description: string, example: string | null) =>
  z.string().nullable().meta({ description, example });
export const countField = (description: string, example: number) => z.int().min(0).meta({ description, example });
export const countOrNull = (description: string, example: number) =>
  z.int().min(0).nullable().meta({ description, example });
export const flagField = (description: string, example: boolean) => z.boolean().meta({ description, example });

/** The number of a version of a page. */
export const VERSION_NUMBER = /^[1-9][0-9]{0,14}$/;

/** Parameters by their names in paths. */
export const PARAMETERS: Readonly<Record<string, z.ZodString>> = {
  id: deploymentId,
  deployId: deploymentId,
  submissionId,
  fileId,
  webhookId,
  deliveryId,
  recipientId: z
    .string()
    .regex(RECIPIENT_ID)
    .meta({ description: "A recipient's id.", example: 'rcp_0VbbZC1mQ4nRr8sTtUvWxYzA' }),
  keyId,
  token: z
    .string()
    .regex(TOKEN)
    .meta({ description: 'The secret of a link.', example: 'Yk2dV9sQm4XwT7bN1cR8hJ5gL0pZ3aF6eU2iO9kS4dG' }),
  version: z.string().regex(VERSION_NUMBER).meta({ description: 'The number of a version.', example: '1' }),
  asset: z.string().meta({ description: 'The name of a file of the dashboard.', example: 'main-0A1b2C3d.js' }),
  cursor: z.string().meta({ description: '`0`, the id of a submission, or the cursor of an answer.', example: '0' }),
};
