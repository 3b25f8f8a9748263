import { answer, api } from '../../api.ts';
import type { Overviewed } from '../../own-pages.ts';
import { readHtml, retitled } from '../../retitling.ts';
import { type ChosenFile, INDEX, publishSite } from '../../sites.ts';
import { fill, t } from '../../texts/chosen-texts.ts';

/** Reads the files of a site, except its first page. `onFile`: how many are read, and how many there are. */
async function readFiles(id: string, onFile: (done: number, all: number) => void): Promise<ChosenFile[]> {
  const { files } = await answer(api.GET('/deploy/{id}/files', { params: { path: { id } } }));
  const others = files.filter(({ path }) => path !== INDEX);
  const read: ChosenFile[] = [];
  for (const { path } of others) {
    onFile(read.length, others.length);
    const params = { path: { id, path } };
    const content = await answer(api.GET('/deploy/{id}/files/{path}', { params, parseAs: 'blob' }));
    read.push({ path, file: new File([content], path) });
  }
  return read;
}

/** The settings of a page as they can be given to another one. A provider's secret is never read back. */
async function readSettings(id: string) {
  const { recipients, spam, ...settings } = await answer(
    api.GET('/deploy/{id}/settings', { params: { path: { id } } }),
  );
  const hasSecret = spam.captcha !== null && spam.captcha.provider !== 'altcha';
  return {
    hasSecret,
    body: {
      ...settings,
      recipients: recipients.map(({ email }) => email),
      spam: { ...spam, captcha: hasSecret ? null : spam.captcha },
    },
  };
}

export type Copied = { slug: string; hasSecret: boolean };

/**
 * Makes a page like another one: its HTML and files, with a title of its own, and its settings. A form that sends to the page sends
 * to the copy. Where the settings are refused, no copy stays.
 */
export async function copyPage(
  page: Overviewed,
  { title, slug }: { title: string; slug: string },
  header: { 'Idempotency-Key': string },
  onStep: (text: string) => void,
): Promise<Copied> {
  onStep(t.pages.copying.readingPage);
  const { html } = await readHtml(page.id);
  const { body, hasSecret } = await readSettings(page.id);
  const others = await readFiles(page.id, (done, all) =>
    onStep(fill(t.pages.copying.readingFile, { file: done + 1, files: all })),
  );
  onStep(t.pages.copying.publishing);
  const own = retitled(html, title).replaceAll(page.form_action, '{{FORM_ACTION}}');
  const made = await publishSite({ index: new File([own], INDEX), others }, { slug }, header);
  onStep(t.pages.copying.settings);
  const params = { path: { id: made.id } };
  try {
    await answer(api.PATCH('/deploy/{id}', { params, body }));
  } catch (error) {
    await answer(api.DELETE('/deploy/{id}', { params }));
    throw error;
  }
  return { slug: made.slug, hasSecret };
}
