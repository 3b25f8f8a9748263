import { OPERATIONS } from '../src/http/endpoints.ts';

/*
 * Prints, as JSON, the least that each operation needs of who calls it, as it is declared: the dashboard has it. A field of a body that
 * needs more has an entry of its own, with its value or else its name at the end: `PATCH /deploy/{id} slug`. Left out are operations for
 * the owner of a page alone.
 */

/** A path in the form of OpenAPI, which the client of the dashboard has: `/deploy/{id}/files/{path}`. */
const inReference = (path: string): string => path.replaceAll(/[:*](\w+)/g, '{$1}');

const entries = OPERATIONS.flatMap(({ operation: { method, path, needed, guestFields } }) => {
  const name = `${method} ${inReference(path)}`;
  return [
    ...(needed === 'owner' ? [] : [[name, needed] as const]),
    ...guestFields.map(({ field, value = field, guests }) => [`${name} ${value}`, guests] as const),
  ];
});

process.stdout.write(JSON.stringify(Object.fromEntries(entries)));
