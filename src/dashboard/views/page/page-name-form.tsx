import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useChange } from '../../data.ts';
import { replaceTitle } from '../../retitling.ts';
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
      say(`The page is called ${wanted}.`);
      onChanged();
    });
  return (
    <Form needs="PUT /deploy/{id}" onSubmit={save}>
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
