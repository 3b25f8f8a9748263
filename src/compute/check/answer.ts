import { z } from 'zod';
import type { CaptchaProvider } from '../../forms/captcha-fields.ts';
import { SIZES } from '../../sizes.ts';
import type { ScriptFacts } from './scripts.ts';

/*
 * The input and the answer of a check, for both sides of the thread. The thread imports only types, and loads no zod.
 */

export const CODES = [
  'no-form',
  'placeholder-misspelt',
  'form-goes-elsewhere',
  'method-get',
  'field-without-name',
  'file-without-multipart',
  'no-submit-button',
  'reserved-name',
  'foreign-field',
  'relative-asset',
  'missing-file',
  'insecure-asset',
  'too-many-fields',
  'captcha-missing',
  'script-goes-elsewhere',
  'legacy-charset',
  'blocked-by-policy',
  'origin-hidden',
  'not-utf-8',
] as const;

const Option = z
  .strictObject({
    value: z.string().meta({ description: 'What is sent when it is chosen.' }),
    label: z.string().nullable().meta({ description: 'What people read; null without a label.' }),
  })
  .meta({ id: 'FormOption' });
const Field = z
  .strictObject({
    name: z.string().min(1).meta({ description: 'The name under which it is sent.', example: 'email' }),
    label: z
      .string()
      .nullable()
      .meta({
        description:
          `What people call it, at most ${SIZES.check.maxTextChars} characters: its \`<label>\`, by \`for\` or around it, else \`aria-labelledby\`, ` +
          '`aria-label` or the placeholder. Of radio buttons and checkboxes with one name: the `<legend>` of a `<fieldset>` that has ' +
          'only them, or the label of an element around them with the role `group` or `radiogroup`. null without one, and for hidden ' +
          'fields and buttons.',
        example: null,
      }),
    type: z.string().meta({
      description: '`select`, `textarea`, or the type of the `<input>` or `<button>`, such as `email`.',
      example: 'text',
    }),
    required: z
      .boolean()
      .meta({ description: 'Whether a browser sends the form only when it is filled in.', example: false }),
    options: z
      .array(Option)
      .nullable()
      .meta({
        description:
          'What can be chosen: the options of a `<select>`, the radio buttons, checkboxes or buttons with this name. null where ' +
          'anything can be entered.',
        example: null,
      }),
  })
  .meta({ id: 'FormField' });
const CheckedForm = z
  .strictObject({
    action: z
      .string()
      .nullable()
      .meta({ description: 'The attribute as it is written; null without one.', example: '{{FORM_ACTION}}' }),
    method: z.enum(['post', 'get', 'dialog']),
    enctype: z.enum(['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']),
    submits_here: z.boolean().meta({
      description:
        'Whether it posts to the address that receives what the page sends, by its own attributes or by those of a button; scripts are not ' +
        'followed. For HTML that is not published: to that of any page.',
      example: true,
    }),
    fields: z.array(Field).meta({
      description:
        'What it sends, in the order of the page. Controls that are disabled or have no name are left out, and several radio ' +
        'buttons, checkboxes or buttons with one name are one field.',
    }),
  })
  .meta({ id: 'CheckedForm' });
const Problem = z
  .strictObject({
    code: z.enum(CODES).meta({ example: 'no-submit-button' }),
    severity: z.enum(['error', 'warning']).meta({
      description:
        '`error`: what visitors enter does not arrive. `warning`: it may not, or something else does not work.',
      example: 'warning',
    }),
    message: z.string().meta({
      description: 'A sentence that says what to write.',
      example: 'The form has no button that sends it: write <button>Send</button> before </form>.',
    }),
    line: z.int().min(1).meta({ description: 'Where it is in the HTML: its line. 1 for `no-form`.', example: 1 }),
    file: z.string().optional().meta({
      description: 'The HTML file, or other text, of a site that has it; absent where the page has no files.',
      example: 'about.html',
    }),
    column: z.int().min(1).meta({
      description: 'The place in the line, in UTF-16 units: where the tag begins, or the text in a script or a style.',
      example: 42,
    }),
  })
  .meta({ id: 'FormProblem' });
export const CheckedPage = z
  .strictObject({
    title: z
      .string()
      .nullable()
      .meta({
        description: `The page's title, at most ${SIZES.check.maxTextChars} characters; null without one.`,
        example: 'Spring sale',
      }),
    lang: z
      .string()
      .nullable()
      .meta({ description: 'The `lang` of `<html>` as it is written; null without one.', example: null }),
    forms: z
      .array(CheckedForm)
      .max(SIZES.check.maxForms)
      .meta({
        description: `The forms in the order of the page, at most ${SIZES.check.maxForms}; not those in a \`<template>\`.`,
      }),
    problems: z
      .array(Problem)
      .max(CODES.length * SIZES.check.maxProblemsPerCode)
      .meta({
        description: `In the order of the page, at most ${SIZES.check.maxProblemsPerCode} of each code. Empty: the page is as it should be.`,
      }),
  })
  .meta({ id: 'CheckedPage' });

export type Option = z.infer<typeof Option>;
export type Field = z.infer<typeof Field>;
export type CheckedForm = z.infer<typeof CheckedForm>;
export type Problem = z.infer<typeof Problem>;
export type CheckedPage = z.infer<typeof CheckedPage>;

/** A problem `at` an index of the source. */
export type Found = Omit<Problem, 'line' | 'column'> & { at: number };

/** The addresses of the service and of a page. */
export type Addresses = {
  /** The origin of the API. */
  baseUrl: string;
  /** Host, and port if any, under which every page is one label. */
  pagesDomain: string;
  /**
   * The page itself: its origin, and the address that its forms post to; undefined: it has not been published. `otherHosts`: of
   * its custom domains, with the port if any.
   */
  page: { url: string; action: string; otherHosts?: readonly string[] } | undefined;
  /** The path of the page in its site, and those of all files; 'any': there may be a page at each path; undefined: it is no site. */
  site?: SitePage | 'any' | undefined;
};

type SitePage = { path: string; files: readonly string[] };

/** A page, in UTF-8, and what is known of it. */
export type FormsInput = { html: Uint8Array; addresses: Addresses };
/**
 * `maxFields`: that a submission may have. `captcha`, `hasAllowedOrigins`: of the page's settings, where unknown origins are refused.
 * `maxForms`, `maxFormChars`: of the answer. `scripts`: those of the site, by their paths.
 */
export type CheckInput = FormsInput & {
  maxFields: number;
  captcha?: CaptchaProvider | undefined;
  hasAllowedOrigins?: boolean | undefined;
  maxForms?: number | undefined;
  maxFormChars?: number | undefined;
  scripts?: ReadonlyMap<string, ScriptFacts> | undefined;
};
/** A script that is a file of a site, in UTF-8. */
export type ScriptInput = { text: Uint8Array; addresses: Addresses };
export type CheckedScript = { facts: ScriptFacts; problems: Problem[] };
/** The answer for one page. `forms`: JSON in UTF-8, the forms with commas between them; an answer can have many. */
export type CheckedFile = Omit<CheckedPage, 'forms'> & { forms: Uint8Array; formCount: number; toolless: Toolless };
/** The forms that agents in browsers do not know as tools: their number, and the line of the first. */
export type Toolless = { count: number; line: number | undefined };
/** ALTCHA's widget, which is put into forms that lack it, and `script` before the first of them. */
export type WidgetInput = { element: string; script: string };
/** `leaveEmpty`: the description of a field that robots fill in, in the language of the page. */
export type ToolsInput = { leaveEmpty: string };
/** The texts that are put into the forms of a page. */
export type FormAdditions = {
  addresses: Addresses;
  widget?: WidgetInput | undefined;
  tools?: ToolsInput | undefined;
};
