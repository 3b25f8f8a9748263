import { DELIVERY_HEADER, type Event } from '../lib/events.ts';
import { sign } from './signature.ts';

/*
 * The message of a generic webhook (Standard Webhooks 1.0), as the service and `formhost webhooks listen` send it.
 */

/** The content of a message about a submission. `data`: the JSON text of an object, as stored. */
type Submitted = { deploymentId: string; data: string; createdAt: Date };

/** The body of a generic webhook: `data` is the stored text itself, so that no number or key order is lost. */
export function genericPayload(event: Event, { deploymentId, data, createdAt }: Submitted): string {
  const id = JSON.stringify(deploymentId);
  return `{"event":"${event}","deployment_id":${id},"data":${data},"timestamp":"${createdAt.toISOString()}"}`;
}

/** The names of the events in the format `standard`. */
const STANDARD_TYPES: Readonly<Record<Event, string>> = { submission: 'submission.created' };

/** The body in the format `standard`, as Standard Webhooks 1.0 advises. The fields are the stored text itself. */
export function standardPayload(
  event: Event,
  { deploymentId, slug, data, createdAt }: Submitted & { slug: string },
  { submissionId, pageUrl, isTest }: { submissionId: string | null; pageUrl: string; isTest: boolean },
): string {
  const [type, timestamp] = [STANDARD_TYPES[event], createdAt].map((value) => JSON.stringify(value));
  const [id, deployment, name, url] = [submissionId, deploymentId, slug, pageUrl].map((value) => JSON.stringify(value));
  const page = `"deployment_id":${deployment},"slug":${name},"page_url":${url}`;
  return `{"type":${type},"timestamp":${timestamp},"data":{"id":${id},${page},"fields":${data},"test":${isTest}}}`;
}

/** Headers of a generic webhook; a test has no submission. */
export const genericHeaders = (slug: string, pageUrl: string, submissionId: string | null): Record<string, string> => ({
  ...(submissionId === null ? {} : { 'formhost-submission-id': submissionId }),
  'formhost-slug': slug,
  'formhost-page-url': pageUrl,
});

/** Headers of every message, signed at this moment. `id`: the delivery's; `body`: JSON. */
export function signedHeaders(
  { id, body }: { id: string; body: string },
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000);
  return {
    'content-type': 'application/json',
    'user-agent': 'formhost',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign({ id, timestamp, body }, secrets),
    [DELIVERY_HEADER]: id,
  };
}
