import { renderPage } from '../compute/render-page.ts';
import type { NewPage } from '../db/page-versions.ts';
import { SIZES } from '../limits.ts';
import { encode } from './page-encoding.ts';

/** Makes a page ready to be stored. */
export type PrepareNewPage = (deploymentId: string, html: string | Buffer) => Promise<NewPage>;

/**
 * Renders and compresses small pages once, when they are stored: at a visit it would take longer than to read them.
 * `submitUrl`: what the addresses that forms post to begin with.
 */
export function createPrepareNewPage(submitUrl: string): PrepareNewPage {
  return async (deploymentId, given) => {
    const html = typeof given === 'string' ? Buffer.from(given) : given;
    if (html.length > SIZES.internalPages.largeBytes) return { html, rendered: undefined };
    const { body, hash } = renderPage({ html, action: submitUrl + deploymentId, encoding: 'identity' });
    // Small, but full of placeholders.
    if (body.length > SIZES.internalPages.largeBytes) return { html, rendered: undefined };
    return { html, rendered: { action: submitUrl, hash, bytes: body.length, br: await encode(body, 'br') } };
  };
}
