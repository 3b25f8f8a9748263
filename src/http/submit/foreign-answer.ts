import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { inApiWords } from '../../problems/sentence.ts';
import { answerObject, submissionId, textField, uriField } from '../request/shared-fields.ts';
import { type DeclaredError, HttpError } from '../response/errors.ts';

/*
 * The answers of /f/. Scripts that were written for Formspree, FormSubmit, Basin, Getform and Web3Forms look into them.
 */

const MESSAGE = 'Submission received';

export const ForeignReceived = answerObject('ForeignFormReceived', {
  ok: z.literal(true),
  success: z.literal(true),
  message: z.literal(MESSAGE),
  id: submissionId,
  next: uriField(
    'Where the visitor goes next: the page that the form names, or the one that thanks.',
    'https://forms.example.org/submit/d_0VbbZBZKKTcBD17YQfyDgVGm/thanks',
  ),
});

const SENTENCE = 'Too many submissions: try again in 17 seconds.';
const Fault = z.strictObject({
  code: textField('The name of the error for programs.', 'too-many-submissions'),
  message: textField('What to do.', SENTENCE),
  field: z.string().optional().meta({ description: 'The field that it is about.', example: 'email' }),
});
const ForeignError = answerObject('ForeignFormError', {
  ok: z.literal(false),
  success: z.literal(false),
  error: textField('What to do.', SENTENCE),
  message: textField('The text of `error`.', SENTENCE),
  errors: z.array(Fault).min(1),
});

/** The faults of an error: those of values, or the error itself. */
function faultsOf({ code, message, errors }: HttpError): z.infer<typeof Fault>[] {
  if (errors.length === 0) return [{ code, message }];
  return errors.map((error) => ({
    code: error.code,
    message: inApiWords(error.detail),
    ...('pointer' in error && { field: error.pointer.slice(1) }),
  }));
}

/** Returns an error with the body that scripts of other services read. */
export function inForeignForm(error: HttpError): HttpError {
  const { status, template, message, headers, errors, code } = error;
  const faults = faultsOf(error);
  const body = JSON.stringify({ ok: false, success: false, error: message, message, errors: faults });
  const foreign = new HttpError(status, template, headers, { errors, body });
  foreign.code = code;
  return foreign;
}

const declared = new WeakMap<DeclaredError, DeclaredError>();

/** Returns an error as /f/ declares it. */
export function declaredForeign(error: DeclaredError): DeclaredError {
  const before = declared.get(error);
  if (before) return before;
  const { id, description, example } = error;
  const foreign = { id: `ForeignForm${id}`, description, schema: ForeignError, example: inForeignForm(example) };
  declared.set(error, foreign);
  return foreign;
}

/** Answers a success as the services do of which a script may be. */
export function sendForeignReceived(
  response: ServerResponse,
  { id, next }: { id: string; next: string },
  headers: Readonly<Record<string, string>>,
): void {
  const text = JSON.stringify({ ok: true, success: true, message: MESSAGE, id, next });
  response.writeHead(200, {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  response.end(text);
}
