import { fieldAt, literal, render, type Vocabulary } from './sentence.ts';

/** A wrong value: the name of its field, the template of a sentence about it, how it is wrong, and the limit that it exceeds. */
type WrongValue = { field: string; detail: string; code: string | undefined; limit: number | undefined };

/** An error as a client reads it: its code, and templates of its sentence, of those about wrong values, and of the next step. */
export type ReadProblem = {
  code: string | undefined;
  detail: string;
  errors: readonly WrongValue[];
  next: string | undefined;
};

const valueIn = (object: unknown, name: string): unknown =>
  object instanceof Object ? Reflect.get(object, name) : undefined;

function textIn(object: unknown, name: string): string | undefined {
  const value = valueIn(object, name);
  return typeof value === 'string' ? value : undefined;
}

function toWrongValue(error: unknown): WrongValue[] {
  const detail = textIn(error, 'detail');
  if (detail === undefined) return [];
  const field = textIn(error, 'parameter') ?? textIn(error, 'header') ?? fieldAt(textIn(error, 'pointer') ?? '');
  const limit = valueIn(error, 'limit');
  return [{ field, detail, code: textIn(error, 'code'), limit: typeof limit === 'number' ? limit : undefined }];
}

/** Returns the error that the body of an answer has, or undefined if there is none. */
export function readProblem(body: unknown): ReadProblem | undefined {
  // A request that the server could not read is answered before its Accept is known.
  const sentence = textIn(body, 'error');
  const detail = sentence === undefined ? textIn(body, 'detail') : literal(sentence);
  if (detail === undefined) return undefined;
  const list = valueIn(body, 'errors');
  const errors = Array.isArray(list) ? list.flatMap(toWrongValue) : [];
  return { code: textIn(body, 'code'), detail, errors, next: textIn(body, 'next') };
}

/** Returns the sentence of an error and those about its wrong values, in the words of a client, each once. */
export const sentencesOf = (
  { detail, errors }: { detail: string; errors: readonly { detail: string }[] },
  vocabulary: Vocabulary,
): string[] =>
  [...new Set([detail, ...errors.map((error) => error.detail)])].map((template) => render(template, vocabulary));
