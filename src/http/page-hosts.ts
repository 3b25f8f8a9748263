import type { IncomingMessage } from 'node:http';
import { isPreviewLabel } from '../sites/preview-hosts.ts';
import type { App } from './app.ts';
import { ContentSender } from './pages/content-sender.ts';
import { noSuchPage, PageServer } from './pages/page-server.ts';
import { asksForWorker, sendWorkerRemoval } from './pages/worker-removal.ts';
import type { Exchange } from './request/exchange.ts';
import { contextOf, type RequestContext, type Step } from './request/request-context.ts';
import { methodNotAllowed } from './response/errors.ts';
import { THANKS } from './submit/destinations.ts';
import type { VisitorPages } from './submit/visitor-pages.ts';

/** Browsers ask every host for an icon, and report a 404 as an error. They are told for so long that there is none. */
const FAVICON = '/favicon.ico';
const FAVICON_SECONDS = 86_400;

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

/** Answers on the hosts of pages, except the forms that are posted there. */
export class PageHosts {
  readonly #app: App;
  readonly #pages: PageServer;
  readonly #visitorPages: VisitorPages;

  constructor(app: App, visitorPages: VisitorPages) {
    const {
      pages: { cache: pages, siteFiles },
      requests: { responseWriter, clientAddress },
    } = app;
    this.#app = app;
    this.#pages = new PageServer(pages, new ContentSender(siteFiles, responseWriter, clientAddress), app, (...closed) =>
      visitorPages.sayClosed(...closed),
    );
    this.#visitorPages = visitorPages;
  }

  readonly handle: Step = (request, _response, next) => {
    const context = contextOf(request);
    const { slug, domainHolder } = context;
    const isForWorker = asksForWorker(request) && !this.#app.requests.hosts.isOfApi(request.headers.host ?? '');
    if (isForWorker) context.countAfter(this.#answerWorker(context), next);
    else if (slug === undefined) next();
    else {
      const answering = domainHolder === undefined ? this.#answer(context, slug) : this.#answerAtDomain(context, slug);
      // A page in memory has been answered: a promise would add a twentieth to its cost.
      if (!answering) context.count();
      else void answering.then(() => (context.formId === undefined ? context.count() : next()), next);
    }
  };

  /** Answers a browser that looks for the script of a service worker: with that of the site, or one that removes the worker. */
  async #answerWorker(context: RequestContext): Promise<void> {
    const { slug, path, domainHolder } = context;
    const isOwn = slug !== undefined && (await this.#pages.hasScript(slug, path, domainHolder));
    if (isOwn) return this.#pages.serve(context, slug);
    sendWorkerRemoval(context);
    if (slug === undefined) context.log();
  }

  #answer(context: RequestContext, slug: string | null): void | Promise<void> {
    const { request, path } = context;
    if (path === FAVICON || path === THANKS) return this.#answerOwnOrService(context, slug);
    return request.method === 'POST' ? this.#findForm(context, slug) : this.#pages.serve(context, slug);
  }

  /** Answers at a custom domain, unless its page has just gone and another one has got the slug. */
  async #answerAtDomain(context: RequestContext, slug: string | null): Promise<void> {
    const current = await this.#pages.currentSlug(slug);
    if (await this.#pages.isOfAnother(current, context.domainHolder)) throw noSuchPage();
    return this.#answer(context, current);
  }

  /** A site's own file comes before that of the service. */
  async #answerOwnOrService(context: RequestContext, slug: string | null): Promise<void> {
    const { request, path } = context;
    const current = await this.#pages.currentSlug(slug);
    if (current !== slug && isRead(request)) return this.#pages.serve(context, slug);
    const isOwn = await this.#pages.hasOwn(current, path);
    await this.#pages.keepFromSearch(context, current);
    if (!isOwn && path === THANKS) return this.#thank(context, slug);
    if (!isOwn && isRead(request)) return this.#answerFavicon(context);
    return request.method === 'POST' ? this.#findForm(context, slug) : this.#pages.serve(context, slug);
  }

  #answerFavicon({ response, requestId }: Exchange): void {
    response.writeHead(204, { 'Cache-Control': `public, max-age=${FAVICON_SECONDS}`, 'x-request-id': requestId }).end();
  }

  /** Answers with the page that a browser shows after it has posted a form to its own page. */
  async #thank({ request, response, requestId }: Exchange, slug: string | null): Promise<void> {
    if (!isRead(request)) throw methodNotAllowed('GET, HEAD');
    const deploymentId = await this.#pages.findDeployment(slug);
    await this.#visitorPages.thank(response, deploymentId, { 'x-request-id': requestId });
  }

  /** A form without an action posts to its own page. The next step receives it. */
  async #findForm(context: RequestContext, slug: string | null): Promise<void> {
    const page = await this.#pages.findForm(context, slug);
    const isPreview = slug !== null && isPreviewLabel(slug);
    context.formId = page && (isPreview ? slug : page.deploymentId);
    context.site = page?.site;
  }
}
