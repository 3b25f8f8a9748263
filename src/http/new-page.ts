import type { ComputePool } from '../compute/pool.ts';
import { type RenderInput, renderPage } from '../compute/render-page.ts';
import type { NewPage, Rendering } from '../db/page-versions.ts';
import { type Limits, SIZES } from '../limits.ts';

/** Renders pages: small ones at once, large ones in the thread, one at a time of each owner. */
export type Render = (ownerId: number, input: RenderInput) => Promise<Rendering>;

/** Makes a page ready to be stored. */
export type PrepareNewPage = (ownerId: number, deploymentId: string, html: string | Buffer) => Promise<NewPage>;

export const createRender =
  (compute: Pick<ComputePool, 'run'>, { pages: { threadWaitTimeoutMs } }: Limits): Render =>
  async (ownerId, input) => {
    const { br, ...rest } =
      input.html.length <= SIZES.internalPages.largeBytes
        ? renderPage(input)
        : await compute.run(ownerId, threadWaitTimeoutMs, (thread) =>
            // The thread takes the bytes away.
            thread.renderPage({ ...input, html: Uint8Array.from(input.html) }),
          );
    return { ...rest, br: Buffer.from(br.buffer, br.byteOffset, br.byteLength) };
  };

/**
 * Renders a page once, when it is stored: at a visit it would take longer than to read it. `submitUrl`: what the addresses
 * that forms post to begin with.
 */
export const createPrepareNewPage =
  (submitUrl: string, render: Render): PrepareNewPage =>
  async (ownerId, deploymentId, given) => {
    const html = Buffer.from(given);
    const rendered = await render(ownerId, { html, action: submitUrl + deploymentId });
    return { html, rendered: { action: submitUrl, ...rendered } };
  };
