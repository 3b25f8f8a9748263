import type { IncomingMessage } from 'node:http';
import { DELIVERY_HEADER } from '../../lib/events.ts';
import { networkOf } from '../../lib/public-address.ts';
import { isPreviewLabel, PREVIEW_PREFIX } from '../../sites/preview-hosts.ts';
import { type SentFrom, SubmissionIntake } from '../../submissions/receive.ts';
import { TestIntake } from '../../submissions/receive-test.ts';
import type { App } from '../app.ts';
import { contextOf, type RequestContext, type Step } from '../request/request-context.ts';
import { namesHtml, namesProblem } from '../response/accept.ts';
import { Turn } from '../response/turn.ts';
import { type Answered, SubmissionAnswers } from './answer-submission.ts';
import { type ReadSubmission, SubmissionParser } from './read-submission.ts';
import { type Visitor, visitorOf } from './visitor.ts';
import type { VisitorPages } from './visitor-pages.ts';

/**
 * Receives submissions: reads, decides, stores and answers. It runs on node:http, ahead of Express: through Express' router
 * and res.json a submission takes about a quarter longer.
 */
export class SubmissionRoute {
  readonly #app: App;
  readonly #visitorPages: VisitorPages;
  readonly #parser: SubmissionParser;
  readonly #intake: SubmissionIntake;
  readonly #answers: SubmissionAnswers;
  readonly #tests: TestIntake;
  readonly #turn = new Turn();

  constructor(app: App, visitorPages: VisitorPages) {
    const { config, db, limits, submissions, compute } = app;
    const { hosts } = app.requests;
    this.#app = app;
    this.#visitorPages = visitorPages;
    this.#parser = new SubmissionParser(app);
    this.#intake = new SubmissionIntake(
      { db, limits, ...submissions, formsOf: compute.formsOf },
      (slug, origin) => origin === config.baseUrl || hosts.isOriginOf(slug, origin),
    );
    this.#tests = new TestIntake({ db, ...submissions, formsOf: compute.formsOf });
    this.#answers = new SubmissionAnswers(app, visitorPages);
  }

  readonly handle: Step = (request, _response, next) => {
    const context = contextOf(request);
    const { formId, formAddress } = context;
    const { method, headers } = request;
    if (formId === undefined) next();
    else if (method === 'POST') context.countAfter(this.#submit(context, decodeURIComponent(formId)), next);
    else if (formAddress === 'foreign-json') next();
    else if ((method === 'GET' || method === 'HEAD') && namesHtml(headers) && !namesProblem(headers)) {
      // A form without method="post" arrives as a GET.
      context.log();
      context.countAfter(this.#visitorPages.refuseGet(context, decodeURIComponent(formId)), next);
    } else next();
  };

  /** Settles when the submission is answered, after its transaction has ended. */
  async #submit(context: RequestContext, formId: string): Promise<void> {
    const answered = await this.#receive(context, formId, visitorOf(context.request, context));
    // A batch settles its submissions together. Without a batch, to read all first and then to write all takes half the processor time.
    if (answered.outcome.kind !== 'accepted') await this.#turn.end();
    await this.#answers.answer(context, answered);
  }

  /** The label of the preview whose form this is: that in its address, or that of the page which sends it. */
  #previewOf({ headers: { origin } }: IncomingMessage, formId: string): string | undefined {
    if (isPreviewLabel(formId)) return formId;
    if (!origin?.includes(PREVIEW_ORIGIN)) return undefined;
    const label = this.#app.requests.hosts.slugOf(URL.parse(origin)?.host ?? '');
    return typeof label === 'string' && isPreviewLabel(label) ? label : undefined;
  }

  async #receive(
    { request, formAddress: address }: RequestContext,
    formId: string,
    visitor: Visitor | undefined,
  ): Promise<Answered> {
    let deploymentId = formId;
    const {
      requests: { clientAddress, bodyReader },
      limits,
    } = this.#app;
    // Before the first await: a socket that has closed has no address.
    const ipAddress = clientAddress(request);
    // Files are in memory until they are stored.
    const network = networkOf(ipAddress);
    using memory = bodyReader.reserve(network);
    const isDelivery = request.headers[DELIVERY_HEADER] !== undefined;
    let sent: ReadSubmission | undefined;
    const read = async (): Promise<ReadSubmission> => {
      sent = await this.#parser.read(request, { deploymentId, ipAddress, address }, memory);
      const mayTakeLong = sent.key || sent.isRetry || sent.files.length > 0;
      // The server sets its own time-out again at the next request.
      if (mayTakeLong) request.socket.setTimeout(limits.submissions.transactionSocketTimeoutMs);
      return sent;
    };
    try {
      const label = this.#previewOf(request, formId);
      const preview = label === undefined ? undefined : await this.#tests.find(label);
      if (preview && !isDelivery && (formId === label || formId === preview.deploymentId)) {
        deploymentId = preview.deploymentId;
        return { outcome: await this.#tests.receive(preview, read), deploymentId, sent, visitor };
      }
      // A form made for another service is read by what its page shows.
      const mayBeReadFirst = address === 'submit' && isSmall(request);
      const arrival = { deploymentId, network, isDelivery, isSmall: mayBeReadFirst };
      const outcome = await this.#intake.receive({ ...arrival, sentFrom: sentFrom(request), read });
      return { outcome, deploymentId, sent, visitor };
    } catch (error) {
      return { outcome: { kind: 'unreadable', error }, deploymentId, sent, visitor };
    }
  }
}

/** Begins the host of each preview in an origin. */
const PREVIEW_ORIGIN = `//${PREVIEW_PREFIX}`;

/** A body up to this size may be read before its form is looked up. */
const MAX_SMALL_BYTES = 8 * 1024;

const isSmall = ({ headers }: IncomingMessage): boolean =>
  Number(headers['content-length']) <= MAX_SMALL_BYTES && headers['content-encoding'] === undefined;

const sentFrom = ({ headers }: IncomingMessage): SentFrom => ({
  origin: headers.origin,
  referer: headers.referer,
  isSameOrigin: headers['sec-fetch-site'] === 'same-origin',
});
