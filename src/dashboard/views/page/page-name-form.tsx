import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useChange } from '../../data.ts';
import { replaceTitle } from '../../retitling.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { Field } from '../../ui/field.tsx';
import { Form, FormEnd } from '../../ui/form.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { say } from '../../ui/say.tsx';

/** Search engines and browsers show no more of a title. */
const MAX_CHARS = 150;

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
      await replaceTitle(id, wanted);
      say(fill(t.page.name.saved, { name: wanted }));
      onChanged();
    });
  return (
    <Form needs="PUT /deploy/{id}" onSubmit={save}>
      <Field
        label={t.page.name.label}
        hint={t.page.name.hint}
        value={name}
        onChange={setName}
        max={MAX_CHARS}
        error={wanted === '' && isChanged ? t.page.name.missing : undefined}
      />
      {(isChanged || change.state === 'failed') && (
        <FormEnd change={change} button={t.shared.save} onCancel={() => setName(title ?? '')} />
      )}
    </Form>
  );
}
