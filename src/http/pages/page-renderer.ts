import type { FormAdditions } from '../../compute/check/answer.ts';
import type { ComputePool } from '../../compute/pool.ts';
import { renderPage } from '../../compute/render-page.ts';
import { OverLimitError, type Thread } from '../../compute/thread.ts';
import { type Config, submitUrl } from '../../config.ts';
import {
  type Additions,
  type NewPage,
  type Rendering,
  renderedFor,
} from '../../db/deployments/page-version-queries.ts';
import { ALTCHA_ELEMENT } from '../../forms/captcha-fields.ts';
import type { Limits } from '../../limits.ts';
import { isPreviewLabel } from '../../sites/preview-hosts.ts';
import { SIZES } from '../../sizes.ts';
import type { Hosts } from '../request/hosts.ts';
import { anonymousNote } from './anonymous-note.ts';
import { formAdditions, translationsOf } from './form-additions.ts';

/**
 * A page that is to be rendered, with what its settings add to its forms. `isUnlisted`: it is a preview, or nobody has claimed it.
 */
export type PageToRender = Additions & { deploymentId: string; slug: string; html: Buffer; isUnlisted?: boolean };

/** Renders pages when they are stored: at a visit it would take longer than to read them. */
export class PageRenderer {
  readonly #config: Config;
  readonly #hosts: Hosts;
  readonly #compute: Pick<ComputePool, 'run'>;
  readonly #maxWaitMs: number;

  constructor(config: Config, hosts: Hosts, compute: Pick<ComputePool, 'run'>, { pages }: Limits) {
    this.#config = config;
    this.#hosts = hosts;
    this.#compute = compute;
    this.#maxWaitMs = pages.threadWaitTimeoutMs;
  }

  /** Renders a page as visitors get it. Rejects with BusyError when too much work for its owner waits for the thread. */
  async render(ownerId: number, page: PageToRender): Promise<Rendering> {
    return (await this.#render(ownerId, page)).rendering;
  }

  async #render(ownerId: number, page: PageToRender): Promise<{ rendering: Rendering; isTooComplex: boolean }> {
    const { slug, isUnlisted = false } = page;
    const note =
      isUnlisted && !isPreviewLabel(slug) ? anonymousNote(this.#config, translationsOf(page.html)) : undefined;
    const { html } = page;
    // A submission to a preview is a test.
    const action = submitUrl(this.#config) + (isPreviewLabel(slug) ? slug : page.deploymentId);
    const additions = formAdditions(this.#hosts, page);
    // Only the thread has an HTML parser.
    const isLight = html.length <= SIZES.internalPages.largeBytes && !additions && note === undefined;
    let isTooComplex = false;
    const { br, ...rest } = isLight
      ? renderPage({ html, action })
      : await this.#compute.run(ownerId, this.#maxWaitMs, async (thread) => {
          const added = additions ? await withAdditions(thread, html, additions) : html;
          isTooComplex = !added;
          return thread.run('renderPage', { html: added ?? html, action, note });
        });
    return { rendering: { ...rest, br: Buffer.from(br.buffer, br.byteOffset, br.byteLength) }, isTooComplex };
  }

  /** Makes a page ready to be stored. `lacksWidget`: it is too complex for ALTCHA's widget, which its forms need. */
  async prepare(ownerId: number, page: PageToRender): Promise<NewPage & { lacksWidget: boolean }> {
    const { rendering, isTooComplex } = await this.#render(ownerId, page);
    const action = renderedFor(submitUrl(this.#config), page);
    return {
      html: page.html,
      rendered: { action, ...rendering },
      lacksWidget: isTooComplex && page.hasAltcha && !page.html.includes(`<${ALTCHA_ELEMENT}`),
    };
  }
}

/** Returns undefined for a page that is too complex, or takes too long: the pages of others wait meanwhile. */
async function withAdditions(
  thread: Pick<Thread, 'run'>,
  html: Buffer,
  additions: FormAdditions,
): Promise<Uint8Array | undefined> {
  return thread.run('addToForms', { html, additions }).catch((error: unknown) => {
    if (error instanceof OverLimitError) return undefined;
    throw error;
  });
}
