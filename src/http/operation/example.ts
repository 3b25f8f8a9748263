import { z } from 'zod';

/** The example of an answer: that of its schema, else made of the examples of its fields, of literals and enums. */
export function exampleOf(schema: unknown): unknown {
  const example = schema instanceof z.ZodType ? schema.meta()?.example : undefined;
  if (example !== undefined) return example;
  if (schema instanceof z.ZodObject) {
    const always = Object.entries(schema.shape).filter(([, field]) => !(field instanceof z.ZodOptional));
    return Object.fromEntries(always.map(([name, field]) => [name, exampleOf(field)]));
  }
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element)];
  if (schema instanceof z.ZodNullable) return exampleOf(schema.unwrap());
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodEnum) return schema.options[0];
  throw new Error('A field of an answer has no example: give it one in meta().');
}
