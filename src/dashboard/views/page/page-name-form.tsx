import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { withTitle } from '../../../sites/page-title.ts';
import { ApiError, answer, api } from '../../api.ts';
import { useChange } from '../../data.ts';
import { Field } from '../../ui/field.tsx';
import { Form, FormEnd } from '../../ui/form.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { say } from '../../ui/say.tsx';

/** Search engines and browsers show no more of a title. */
const MAX_CHARS = 150;

/** Replaces the title in the HTML that is live; false: it has changed since it was read. */
async function replaceTitle(id: string, title: string): Promise<boolean> {
  const params = { path: { id } };
  const call = api.GET('/deploy/{id}/html', { params });
  const { html } = await answer(call);
  const changed = withTitle(html, title);
  if (changed === undefined) throw new Error('The title of the page has no end: write </title> behind it, in Edit.');
  // Proxies that compress answers make it weak.
  const etag = ((await call).response.headers.get('ETag') ?? '').replace(/^W\//, '');
  try {
    await answer(
      api.PUT('/deploy/{id}', { params: { ...params, header: { 'If-Match': etag } }, body: { html: changed } }),
    );
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 412) return false;
    throw error;
  }
}

/** The name of a page, which is the title in its HTML. */
export function PageNameForm({ page, onChanged }: { page: Page; onChanged(): void }): JSX.Element {
  const { id, title } = page;
  const [name, setName] = useState(title ?? '');
  const { change, run } = useChange();
  const wanted = name.replaceAll(/\s+/g, ' ').trim();
  const isChanged = wanted !== (title ?? '');
  const save = (): unknown =>
    wanted !== '' &&
    isChanged &&
    run(async () => {
      // Somebody else may have published meanwhile: their HTML gets the title.
      while (!(await replaceTitle(id, wanted)));
      say(`The page is called ${wanted}.`);
      onChanged();
    });
  return (
    <Form onSubmit={save}>
      <Field
        label="Name"
        hint="The title of the page: what browsers, mails and this dashboard call it."
        value={name}
        onChange={setName}
        max={MAX_CHARS}
        error={wanted === '' && isChanged ? 'Enter a name.' : undefined}
      />
      {(isChanged || change.state === 'failed') && (
        <FormEnd change={change} button="Save" onCancel={() => setName(title ?? '')} />
      )}
    </Form>
  );
}
