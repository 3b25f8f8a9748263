import type { z } from 'zod';
import { type CamelCase, camelCase } from '../../lib/camel-case.ts';

/** A row with the fields of an answer under the names that the code has; its times are dates. */
type RowOf<Answer> = { [Name in keyof Answer & string as CamelCase<Name>]: Answer[Name] | Date };

/** The fields of an answer's schema from a row: `created_at` from `createdAt`, in ISO 8601. Other fields of the row stay out. */
export function toWire<Schema extends z.ZodObject>(
  schema: Schema,
  row: RowOf<z.infer<Schema>> & object,
): z.infer<Schema> {
  return Object.fromEntries(
    Object.keys(schema.shape).map((name): unknown[] => {
      const value: unknown = Reflect.get(row, camelCase(name));
      return [name, value instanceof Date ? value.toISOString() : value];
    }),
  );
}
