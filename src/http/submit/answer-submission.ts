import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { LiveForm } from '../../db/submissions/form-queries.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { type AnsweringForm, isSuccess, type SubmissionOutcome } from '../../submissions/outcomes.ts';
import type { App } from '../app.ts';
import type { RequestContext } from '../request/request-context.ts';
import { answerObject, submissionId } from '../request/shared-fields.ts';
import { ERROR_CODE, type HttpError, isProblemWanted, varyByAccept, writeError } from '../response/errors.ts';
import { Destinations } from './destinations.ts';
import { inForeignForm, sendForeignReceived } from './foreign-answer.ts';
import { textsOf } from './foreign-form.ts';
import type { ReadSubmission } from './read-submission.ts';
import { redirectOf } from './redirect.ts';
import { errorOf, type Refusal } from './refusals.ts';
import type { Visitor } from './visitor.ts';
import type { VisitorPages } from './visitor-pages.ts';

export const Received = answerObject('SubmissionReceived', {
  message: z.literal('Submission received'),
  id: submissionId,
});

/** The headers of every answer of POST /submit: pages of any origin may read it. */
export const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': `Retry-After, ${ERROR_CODE}`,
} as const;

/** A submission that is to be answered. `sent`: undefined where it was not read. `visitor`: set when the answer is a page. */
export type Answered = {
  outcome: SubmissionOutcome | Refusal;
  deploymentId: string;
  sent: ReadSubmission | undefined;
  visitor: Visitor | undefined;
};

/** Answers submissions: programs with JSON, visitors with a redirect or a page. Counts them. */
export class SubmissionAnswers {
  readonly #app: App;
  readonly #visitorPages: VisitorPages;
  readonly #destinations: Destinations;

  constructor(app: App, visitorPages: VisitorPages) {
    this.#app = app;
    this.#visitorPages = visitorPages;
    this.#destinations = new Destinations(app);
  }

  /** Answers with the outcome. Without a promise where nothing has to be looked up for it. */
  answer(context: RequestContext, answered: Answered): void | Promise<void> {
    const { outcome, visitor, sent } = answered;
    const label = labelOf(outcome);
    if (label !== undefined) this.#app.metrics.submission(label);
    if (!isSuccess(outcome)) return this.#refuse(context, outcome, answered);
    const { response, requestId, slug } = context;
    const headers = { ...(slug === undefined ? CORS : {}), 'x-request-id': requestId };
    if (visitor) {
      const { fields, page, id } = sent ?? {};
      return this.#redirect(context, { ...visitor, fields, id, sentFrom: page }, outcome.form, headers);
    }
    if (context.formAddress === 'submit') sendReceived(response, outcome.id, headers);
    else sendForeignReceived(response, { id: outcome.id, next: this.#nextOf(context, sent, outcome.form) }, headers);
    return undefined;
  }

  /** The address that a script of another service may open after a success. */
  #nextOf({ request }: RequestContext, sent: ReadSubmission | undefined, form: AnsweringForm): string {
    const sender = { isOnPage: false, fields: sent && textsOf(sent), id: sent?.id };
    return new URL(this.#destinations.locationOf(request, sender, form), this.#app.config.baseUrl).href;
  }

  /** Redirects a visitor. A form that names where to may name an address that its page had before, which only a look-up tells. */
  #redirect(
    { response }: RequestContext,
    visitor: Visitor,
    form: AnsweringForm,
    headers: Readonly<Record<string, string>>,
  ): void | Promise<void> {
    const redirect = (known: AnsweringForm): void => this.#visitorPages.redirect(response, visitor, known, headers);
    const isKnown = form.formerSlugs !== undefined || redirectOf(visitor.fields ?? []) === undefined;
    if (isKnown) return redirect(form);
    const found = this.#app.submissions.forms.get(form.deploymentId).catch(() => undefined);
    return found.then((known) => redirect(known ?? form));
  }

  /** Answers a program at once, and a visitor when it is known what the page has to say. */
  #refuse(context: RequestContext, refusal: Refusal, answered: Answered): void | Promise<void> {
    if (context.slug === undefined) context.log();
    const error = errorOf(refusal, this.#app.log, context.requestId);
    if (!answered.visitor) return this.#writeRefusal(context, { refusal, error }, undefined);
    return this.#recognize(context, answered.visitor, { ...answered, outcome: refusal }).then((visitor) =>
      this.#writeRefusal(context, { refusal, error }, visitor),
    );
  }

  #writeRefusal(
    { request, response, requestId, slug, formAddress }: RequestContext,
    { refusal, error }: { refusal: Refusal; error: HttpError },
    visitor: Visitor | undefined,
  ): void {
    const headers = {
      'x-request-id': requestId,
      ...(slug === undefined ? CORS : {}),
      ...varyByAccept(response, error),
    };
    const isForeign = formAddress !== 'submit';
    if (visitor && (isForeign || !isProblemWanted(error, request.headers))) {
      this.#visitorPages.refuse(response, visitor, { refusal, error }, headers);
    } else writeError(response, isForeign ? inForeignForm(error) : error, headers, this.#app);
  }

  /** Adds what the page that answers a refusal needs to know: how to get back, in which language, what was filled in. */
  async #recognize(
    { request }: RequestContext,
    visitor: Visitor,
    { outcome: refusal, deploymentId, sent }: Answered & { outcome: Refusal },
  ): Promise<Visitor> {
    const sentFrom = this.#destinations.sentFrom(request, { sentFrom: sent?.page });
    const links = await this.#app.secrets.links().catch(() => undefined);
    const page = await this.#formOf(refusal, deploymentId);
    return {
      ...visitor,
      fields: sent?.fields,
      id: sent?.id,
      sentFrom,
      resubmission: links && sent && { id: sent.id, isRetry: sent.isRetry, links, page: sentFrom },
      page,
      slug: visitor.slug ?? page?.slug,
    };
  }

  /** The form of a submission that is refused, if it is known. */
  async #formOf(refusal: Refusal, deploymentId: string): Promise<LiveForm | undefined> {
    const {
      submissions: { forms },
    } = this.#app;
    switch (refusal.kind) {
      case 'loop':
      case 'no-form':
      case 'suspended':
        return undefined;
      case 'unreadable':
        return forms.getShown(deploymentId).catch(() => undefined);
      case 'closed':
      case 'rate-limited':
        return refusal.form ?? forms.get(deploymentId).catch(() => undefined);
      default:
        // Where the database is out of reach, the answer does not wait for it once more.
        return refusal.form ?? forms.inMemory(deploymentId);
    }
  }
}

/** How metrics count a submission; undefined where it is a mistake of the client, and no submission. */
function labelOf(outcome: SubmissionOutcome | Refusal): Parameters<Metrics['submission']>[0] | undefined {
  switch (outcome.kind) {
    case 'no-form':
    case 'suspended':
      return 'no-deployment';
    case 'closed':
      return 'form-closed';
    case 'unavailable':
    case 'failed':
      return 'failed';
    case 'loop':
    case 'key-reused':
    case 'files-refused':
    case 'unreadable':
    case 'test':
      return undefined;
    default:
      return outcome.kind;
  }
}

function sendReceived(response: ServerResponse, id: string, headers: Readonly<Record<string, string>>): void {
  const text = `{"message":"Submission received","id":"${id}"}`;
  response.writeHead(200, {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': text.length,
    'Cache-Control': 'no-store',
  });
  response.end(text);
}
