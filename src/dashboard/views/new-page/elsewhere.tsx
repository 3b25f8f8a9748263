import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { escapeHtml } from '../../../lib/html.ts';
import { answer, api } from '../../api.ts';
import { useChange, useOnce } from '../../data.ts';
import { pageLinks } from '../../page-links.ts';
import { language, t } from '../../texts/chosen-texts.ts';
import { Field } from '../../ui/field.tsx';
import { Form, FormEnd } from '../../ui/form.tsx';
import { formSnippet } from '../../ui/form-snippet.tsx';
import { View } from '../../ui/view.tsx';

/**
 * The page that belongs to a form on another site: it has the same form. `<html>` has no language, so that visitors read
 * confirmations and errors in that of their browser.
 */
const smallPage = (name: string): string => `<!doctype html>
<html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)}</title>
<body lang="${language}">
<h1>${escapeHtml(name)}</h1>
${formSnippet('{{FORM_ACTION}}')}</body>
</html>
`;

/** For a form on a site that is published elsewhere: creates a small page, and leads to the view that shows what to paste there. */
export function Elsewhere(): JSX.Element {
  const { route } = useLocation();
  const [name, setName] = useState('');
  const { change, run } = useChange();
  const header = useOnce(name);
  const create = (): unknown =>
    run(async () => {
      const body = { html: smallPage(name.trim() || t.editor.elsewhere.unnamed) };
      const { id } = await answer(api.POST('/deploy', { params: { header }, body }));
      route(`${pageLinks(id).live}?form=elsewhere`);
    });
  return (
    <View title={t.editor.elsewhere.title}>
      <Form needs="POST /deploy" class="card" onSubmit={create}>
        <p>{t.editor.elsewhere.explained}</p>
        <Field label={t.editor.elsewhere.name} hint={t.editor.elsewhere.nameHint} value={name} onChange={setName} />
        <FormEnd change={change} button={t.editor.elsewhere.getForm} onCancel={() => route('/dashboard/new')} />
      </Form>
    </View>
  );
}
