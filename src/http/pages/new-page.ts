import type { ComputePool } from '../../compute/pool.ts';
import { renderPage } from '../../compute/render-page.ts';
import { type NewPage, type Rendering, renderedFor } from '../../db/deployments/page-versions.ts';
import { type Limits, SIZES } from '../../limits.ts';
import type { PageToRender, WidgetFor } from './altcha-widget.ts';

/** Makes a page ready to be stored. */
export type PrepareNewPage = (ownerId: number, page: PageToRender) => Promise<NewPage>;

/** Renders pages when they are stored: at a visit it would take longer than to read them. */
export class PageRenderer {
  readonly #submitUrl: string;
  readonly #widgetFor: WidgetFor;
  readonly #compute: Pick<ComputePool, 'run'>;
  readonly #maxWaitMs: number;

  /** `submitUrl`: what the addresses that forms post to begin with. */
  constructor(parts: { submitUrl: string; widgetFor: WidgetFor; compute: Pick<ComputePool, 'run'>; limits: Limits }) {
    this.#submitUrl = parts.submitUrl;
    this.#widgetFor = parts.widgetFor;
    this.#compute = parts.compute;
    this.#maxWaitMs = parts.limits.pages.threadWaitTimeoutMs;
  }

  /** A page as visitors get it. Rejects with BusyError when too much work for its owner waits for the thread. */
  async render(ownerId: number, page: PageToRender): Promise<Rendering> {
    const { html } = page;
    const action = this.#submitUrl + page.deploymentId;
    const widget = this.#widgetFor(page);
    // Only the thread has an HTML parser.
    const isLight = html.length <= SIZES.internalPages.largeBytes && !widget;
    const { br, ...rest } = isLight
      ? renderPage({ html, action })
      : await this.#compute.run(ownerId, this.#maxWaitMs, (thread) =>
          thread.run('renderPage', { html, action, widget }),
        );
    return { ...rest, br: Buffer.from(br.buffer, br.byteOffset, br.byteLength) };
  }

  async prepare(ownerId: number, page: PageToRender): Promise<NewPage> {
    const rendering = await this.render(ownerId, page);
    return { html: page.html, rendered: { action: renderedFor(this.#submitUrl, page.hasAltcha), ...rendering } };
  }
}
