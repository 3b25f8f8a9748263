import { namesAddress } from '../../forms/address-fields.ts';
import { controlsOf, isForPeople } from '../../forms/control-fields.ts';
import { answer, api } from '../api.ts';
import { useData } from '../data.ts';
import type { Option } from '../setting-fields.ts';
import { t } from '../texts/chosen-texts.ts';

/** Types of fields in which people type an address. */
const TYPED_IN: ReadonlySet<string> = new Set(['email', 'text']);

/** A field of the page's form. */
type FormInput = { name: string; label: string; type: string; choices: readonly string[] | undefined };

/** Reads the fields that visitors fill in, of the forms that post here. */
async function readInputs(id: string, signal: AbortSignal): Promise<readonly FormInput[]> {
  const { forms } = await answer(api.GET('/deploy/{id}/check', { params: { path: { id } }, signal }));
  return forms.flatMap(({ fields, submits_here: isHere }) => {
    const controlOf = controlsOf(fields.map(({ name }) => name));
    const ofPeople = isHere ? fields.filter(({ name }) => isForPeople(controlOf(name))) : [];
    return ofPeople.map(({ name, label, type, options }) => ({
      ...{ name, type, label: label ?? name },
      choices: options?.map(({ value }) => value),
    }));
  });
}

const isForAddress = ({ name, label, type }: FormInput): boolean =>
  type === 'email' || (TYPED_IN.has(type) && (namesAddress(name) || namesAddress(label)));

/** A choice of these fields or none, with what was chosen before: the form may have lost it. */
function choicesOf(
  none: string,
  fields: readonly FormInput[],
  inputs: readonly FormInput[],
  chosen: string,
): readonly Option[] {
  const labels = new Map(fields.map(({ name, label }) => [name, label]));
  if (chosen !== '' && !labels.has(chosen)) {
    labels.set(chosen, inputs.find(({ name }) => name === chosen)?.label ?? chosen);
  }
  return [{ value: '', label: none }, ...Array.from(labels, ([value, label]) => ({ value, label }))];
}

/** Returns whether visitors say a number in it, such as that of the people who come. */
const isForNumber = ({ type, choices }: FormInput): boolean =>
  type === 'number' || choices?.some((value) => /^\d/.test(value)) === true;

/**
 * The fields to which a mail can go, and those with a number, each with the choice of none; undefined where no form of the page
 * posts here: it is on another site then. `hasNoAddress`: the form has no field for an address.
 */
export type ChosenFields = {
  addresses: readonly Option[] | undefined;
  numbers: readonly Option[] | undefined;
  hasNoAddress: boolean;
};

/** `address`, `number`: the fields that were chosen before. */
export function useFormFields(id: string, chosen: { address: string; number: string }): ChosenFields {
  const { data: inputs, error } = useData(`inputs:${id}`, (signal) => readInputs(id, signal));
  if (inputs?.length === 0 || error) return { addresses: undefined, numbers: undefined, hasNoAddress: false };
  const [all, addresses] = [inputs ?? [], inputs?.filter(isForAddress) ?? []];
  return {
    addresses: choicesOf(t.settings.noMail, addresses, all, chosen.address),
    numbers: choicesOf(t.settings.bySubmissions, all.filter(isForNumber), all, chosen.number),
    hasNoAddress: inputs !== undefined && addresses.length === 0,
  };
}
