import { withTitle } from '../sites/page-title.ts';
import { ApiError, answer, api } from './api.ts';
import { fill, t } from './texts/chosen-texts.ts';

/** Changes of a page by others, while its title is replaced, after which the person is told. */
const MAX_TRIES = 5;

/** The HTML of a page, and the ETag by which a change of somebody else is noticed. */
export async function readHtml(id: string): Promise<{ html: string; etag: string }> {
  const call = api.GET('/deploy/{id}/html', { params: { path: { id } } });
  const { html } = await answer(call);
  // Proxies that compress answers make it weak, and PUT accepts strong ones only.
  return { html, etag: ((await call).response.headers.get('ETag') ?? '').replace(/^W\//, '') };
}

/** Returns a page with another title, and all else as it was. Throws where its title has no end. */
export function retitled(html: string, title: string): string {
  const changed = withTitle(html, title);
  if (changed === undefined) throw new Error(fill(t.page.name.noEnd, { tag: '</title>' }));
  return changed;
}

/** Replaces the title in the HTML that is live. Others may publish meanwhile: their HTML gets the title. */
export async function replaceTitle(id: string, title: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { html, etag } = await readHtml(id);
    const params = { path: { id }, header: { 'If-Match': etag } };
    try {
      await answer(api.PUT('/deploy/{id}', { params, body: { html: retitled(html, title) } }));
      return;
    } catch (error) {
      if (tries >= MAX_TRIES || !(error instanceof ApiError && error.status === 412)) throw error;
    }
  }
}
