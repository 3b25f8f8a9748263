import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { answer, api } from '../../api.ts';
import { errorOf, useChange } from '../../data.ts';
import { t } from '../../texts/chosen-texts.ts';
import { Form, FormEnd } from '../../ui/form.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { say } from '../../ui/say.tsx';
import { SlugField, slugOf } from '../../ui/slug-field.tsx';

const LABELS = { slug: t.page.address.label };

/** The first part of a page's address. The old one leads to the new one for a while. */
export function PageAddressForm({ page, onChanged }: { page: Page; onChanged(): void }): JSX.Element {
  const { id, slug } = page;
  const [text, setText] = useState(slug);
  const { change, run, clear } = useChange({ labels: LABELS });
  const wanted = slugOf(text);
  const isChanged = wanted !== slug;
  const save = (): unknown =>
    isChanged &&
    wanted !== '' &&
    run(async () => {
      await answer(api.PATCH('/deploy/{id}', { params: { path: { id } }, body: { slug: wanted } }));
      say(t.page.address.saved);
      onChanged();
    });
  function reset(): void {
    clear();
    setText(slug);
  }
  return (
    <Form needs="PATCH /deploy/{id}" onSubmit={save}>
      <SlugField
        label={LABELS.slug}
        value={text}
        onChange={setText}
        empty={t.page.address.hint}
        error={wanted === '' ? t.page.address.missing : errorOf(change, 'slug')}
      />
      {isChanged && <FormEnd change={change} button={t.shared.save} onCancel={reset} />}
    </Form>
  );
}
