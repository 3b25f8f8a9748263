import type { z } from 'zod';

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** A row with the fields of an answer under the names that the code has; its times are dates. */
type RowOf<Answer> = { [Name in keyof Answer & string as Camel<Name>]: Answer[Name] | Date };

const camel = (name: string): string => name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());

/** The fields of an answer's schema from a row: `created_at` from `createdAt`, in ISO 8601. Other fields of the row stay out. */
export function toWire<Schema extends z.ZodObject>(
  schema: Schema,
  row: RowOf<z.infer<Schema>> & object,
): z.infer<Schema> {
  return Object.fromEntries(
    Object.keys(schema.shape).map((name): unknown[] => {
      const value: unknown = Reflect.get(row, camel(name));
      return [name, value instanceof Date ? value.toISOString() : value];
    }),
  );
}
