import { controlsOf, isForPeople } from '../../forms/control-fields.ts';
import { answer, api } from '../api.ts';
import { useData } from '../data.ts';
import type { Option } from '../setting-fields.ts';

/** Types of fields in which people type an address. */
const TYPED_IN: ReadonlySet<string> = new Set(['email', 'text']);
/** How fields for addresses are called, in the languages of visitors' pages. */
const ADDRESS = /e-?mail|(?:^|[^a-z])mail(?:$|[^a-z])|_replyto|courriel|correo|posta|メール|邮箱|郵箱|邮件|البريد/i;

/** A field of the page's form. */
type FormInput = { name: string; label: string; type: string };

/** Reads the fields that visitors fill in, of the forms that post here. */
async function readInputs(id: string, signal: AbortSignal): Promise<readonly FormInput[]> {
  const { forms } = await answer(api.GET('/deploy/{id}/check', { params: { path: { id } }, signal }));
  return forms.flatMap(({ fields, submits_here: isHere }) => {
    const controlOf = controlsOf(fields.map(({ name }) => name));
    const ofPeople = isHere ? fields.filter(({ name }) => isForPeople(controlOf(name))) : [];
    return ofPeople.map(({ name, label, type }) => ({ name, type, label: label ?? name }));
  });
}

const isForAddress = ({ name, label, type }: FormInput): boolean =>
  type === 'email' || (TYPED_IN.has(type) && (ADDRESS.test(name) || ADDRESS.test(label)));

/**
 * `options`: the fields to which a mail can go, with the choice of none, and what was chosen before; undefined where no form of the page
 * posts here: it is on another site then. `hasNone`: the form has no such field.
 */
export type AddressFields = { options: readonly Option[] | undefined; hasNone: boolean };

export function useAddressFields(id: string, chosen: string): AddressFields {
  const { data: inputs, error } = useData(`inputs:${id}`, (signal) => readInputs(id, signal));
  if (inputs?.length === 0 || error) return { options: undefined, hasNone: false };
  const found = inputs?.filter(isForAddress) ?? [];
  const fields = new Map(found.map(({ name, label }) => [name, label]));
  // The form may have lost the field.
  if (chosen !== '' && !fields.has(chosen)) {
    fields.set(chosen, inputs?.find(({ name }) => name === chosen)?.label ?? chosen);
  }
  const options = Array.from(fields, ([value, label]) => ({ value, label }));
  return {
    options: [{ value: '', label: 'No mail' }, ...options],
    hasNone: inputs !== undefined && found.length === 0,
  };
}
