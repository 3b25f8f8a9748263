const SUBMIT_PATH = /^\/submit\/([^/]+)$/;
/** The address for forms made for another service. No id has a dot. */
const FOREIGN_PATH = /^\/f\/([^/]+?)(\.json)?$/;

/**
 * The kind of address that a form is posted to. `foreign`: it is for forms made for another service, whose scripts it answers as
 * that did. `foreign-json`: it answers browsers so, too.
 */
export type FormAddress = 'submit' | 'foreign' | 'foreign-json';

/** The id in the path of a form's address, percent-encoded; undefined for another path. */
export function formIn(path: string): { id: string; address: FormAddress } | undefined {
  const id = SUBMIT_PATH.exec(path)?.[1];
  if (id !== undefined) return { id, address: 'submit' };
  const [, foreignId, json] = FOREIGN_PATH.exec(path) ?? [];
  if (foreignId === undefined) return undefined;
  return { id: foreignId, address: json === undefined ? 'foreign' : 'foreign-json' };
}
