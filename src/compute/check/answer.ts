import type { CaptchaProvider } from '../../lib/captcha-fields.ts';

/*
 * What a check answers, for both sides of the thread. The names are those of the API.
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
  'insecure-asset',
  'too-many-fields',
  'captcha-missing',
] as const;
export type Code = (typeof CODES)[number];

/** An error keeps what visitors enter from arriving; a warning may, or is about something else. */
export const SEVERITIES = ['error', 'warning'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** `line` and `column`: from 1. */
export type Problem = { code: Code; severity: Severity; message: string; line: number; column: number };

/** A problem `at` an index of the source. */
export type Found = Omit<Problem, 'line' | 'column'> & { at: number };

export type Option = { value: string; label: string | null };

export type Field = {
  name: string;
  label: string | null;
  type: string;
  required: boolean;
  /** null where anything can be entered. */
  options: Option[] | null;
};

export const METHODS = ['get', 'post', 'dialog'] as const;
export type FormMethod = (typeof METHODS)[number];

type CheckedForm = {
  action: string | null;
  method: FormMethod;
  enctype: string;
  submits_here: boolean;
  fields: Field[];
};

export type CheckedPage = { title: string | null; lang: string | null; forms: CheckedForm[]; problems: Problem[] };

/** What people call the fields of a page, by their names. */
export type PageLabels = readonly (readonly [name: string, label: string])[];

/** What is known of the service and of a page. */
export type Addresses = {
  /** The origin of the API. */
  baseUrl: string;
  /** Host, and port if any, under which every page is one label. */
  pagesDomain: string;
  /** The page itself: its origin, and the address that its forms post to; undefined: it has not been published. */
  page: { url: string; action: string } | undefined;
};

/** A page, in UTF-8, and what is known of it. */
export type LabelsInput = { html: Uint8Array; addresses: Addresses };
/** `maxFields`: that a submission may have. `captcha`: that of the page's settings. */
export type CheckInput = LabelsInput & { maxFields: number; captcha?: CaptchaProvider | undefined };
/** `element`, ALTCHA's widget, is put into forms that lack it, and `script` before the first of them. */
export type WidgetInput = { addresses: Addresses; element: string; script: string };
