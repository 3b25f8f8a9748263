import { z } from 'zod';
import { findFormNames } from '../../../db/submissions/form-name-queries.ts';
import { labelsOf, type PageForm } from '../../../forms/forms-of-page.ts';
import { severalNames } from '../../../forms/match-form.ts';
import { SIZES } from '../../../sizes.ts';
import { operation } from '../../operation/operation.ts';
import { answerObject, flagField, textField, textOrNull } from '../../request/shared-fields.ts';
import { ownDeployment } from './own-deployment.ts';

const Field = answerObject('PageFormField', {
  name: textField('The name under which it is sent.', 'email'),
  label: textOrNull('What people call it; null without a label.', 'E-mail'),
  type: textField('`select`, `textarea`, or the type of the `<input>` or `<button>`.', 'email'),
});
const Forms = answerObject('PageForms', {
  forms: z
    .array(
      answerObject('PageForm', {
        name: textField('The name of the form, as its submissions have it in `form`.', 'contact'),
        on_page: flagField(
          'Whether the live page has it. Earlier submissions, and those of other sites, may have others.',
          true,
        ),
        fields: z
          .array(Field)
          .meta({ description: 'What it sends, each name once; none of a form that the live page does not have.' }),
      }),
    )
    .meta({ description: 'Empty where all submissions are of one form.' }),
  fields: z.array(Field).meta({ description: 'What all forms of the live page send, each name once.' }),
});

/** The fields of the forms with a name, or of all that are sent here, each once. */
function fieldsOf(forms: readonly PageForm[], formName: string | null) {
  const labels = labelsOf(forms, formName);
  const own = forms
    .filter(({ kind, name }) => kind === 'own' && (formName === null || name === formName))
    .flatMap(({ fields }) => fields);
  // The labels leave out control fields, such as an address named `_replyto`, which people fill in too.
  const byName = new Map(own.map(({ name, type, label }) => [name, { name, label: labels.get(name) ?? label, type }]));
  return [...byName.values()];
}

/** The forms of a page by their names. */
export const pageFormsOperation = operation('GET', '/deploy/:id/forms', 'listForms', {
  scope: 'any',
  guests: 'reader',
  command: {
    usage: 'forms <id>',
    text: 'List the forms of a page that has several',
    help: ['`formhost search <id> "" --form <name>` lists what one has sent.', '$ forms contact'],
    table: {
      columns: ['FORM', 'ON PAGE', 'FIELDS'],
      rows: ({ forms }) =>
        forms.map(({ name, on_page, fields }) => [name, on_page, fields.map((field) => field.name).join(', ')]),
    },
  },
  summary: 'List the forms of a {deployment}',
  description:
    `Those of its page and of the HTML files of its site, where they are several, at most ${SIZES.check.maxKeptForms}, in the order of the page; then the others that its ` +
    'submissions name. Search takes each as `form`. `fields` has the labels of a page with one form, too.',
  find: (owner, { id }, { db }) => ownDeployment(db, owner, id),
  answer: { description: 'The forms.', schema: Forms },
  async handle({ resource: { id } }, { db, compute }) {
    const forms = await compute.formsOf(id);
    const onPage = severalNames(forms);
    const others = (await findFormNames(db, id)).filter((name) => !onPage.includes(name));
    return {
      forms: [
        ...onPage.map((name) => ({ name, on_page: true, fields: fieldsOf(forms, name) })),
        ...others.map((name) => ({ name, on_page: false, fields: [] })),
      ],
      fields: fieldsOf(forms, null),
    };
  },
});
