import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import type { Config } from '../../../config.ts';
import { refused, refusedIssue, tooLargeFor } from '../../../problems/refusal.ts';
import { literal } from '../../../problems/sentence.ts';
import { filesOfJson, SentFiles, SiteError, sentFilesOf } from '../../../sites/sent-files.ts';
import { openZip } from '../../../sites/zip-site.ts';
import { SIZES } from '../../../sizes.ts';
import { type JsonPieces, jsonText, type Settings } from '../../operation/declaration.ts';
import { type FormContext, pageBodyBytes, siteLimits } from '../../request/json-body.ts';
import { answerObject, textField } from '../../request/shared-fields.ts';
import { HttpError } from '../../response/errors.ts';
import { readUpload, uploadBytes } from './uploaded-site.ts';

/** The time for which a zip waits for others to be unpacked. */
const QUEUE_WAIT_MS = 10_000;

/*
 * The HTML of a page: as it is sent, stored and answered.
 */

export const exampleHtml =
  '<!doctype html><title>Spring sale</title><form method="post" action="{{FORM_ACTION}}"><input name="email"></form>';

export const Html = answerObject('Html', { html: textField('The page as it was sent.', exampleHtml) });

/** The files of a site in JSON may be in base64, which takes a third more, or have escapes. */
const JSON_BYTES_OF_SITE = 1.5;

const filesField = (config: Config) =>
  z
    .unknown()
    .transform((given, context) => {
      if (given instanceof SentFiles) return given;
      try {
        if (given instanceof SiteError) throw given;
        return sentFilesOf(filesOfJson(given, config));
      } catch (error) {
        if (!(error instanceof SiteError)) throw error;
        for (const { path, fault, message: sentence } of error.faults) {
          const message = literal(sentence);
          const isTooLarge = error.status === 413 && 'limit' in fault;
          const refusal = isTooLarge ? tooLargeFor(fault.limit, message) : refused(fault, message);
          context.addIssue(refusedIssue(refusal, path === undefined ? [] : [path]));
        }
        return z.NEVER;
      }
    })
    .meta({
      short: 'Other files by path.',
      description:
        'The other files of a site, by their paths, such as `styles/main.css`: a text, or `{content, encoding: "base64"}`. ' +
        `At most ${config.maxSiteFiles} files of ${config.maxSiteFileBytes} bytes, and ${config.maxSiteBytes} bytes in all.`,
      override: {
        type: 'object',
        additionalProperties: {
          anyOf: [
            { type: 'string' },
            {
              type: 'object',
              required: ['content', 'encoding'],
              properties: { content: { type: 'string' }, encoding: { type: 'string', const: 'base64' } },
            },
          ],
        },
      },
    });

const file = z.string().meta({ format: 'binary' });
/** The fields of a form, as the reference shows them. */
const uploadParts = {
  schema: z
    .object({
      file: z.array(file).optional().meta({
        description:
          'The files, under any name: the filename of each is its path in the site. One HTML file alone is the page, and one zip alone the site.',
      }),
      html: z.string().optional().meta({ description: 'The page, in place of a file.' }),
    })
    .meta({ description: 'Any part with a filename is a file.' }),
  example: { html: exampleHtml },
};

/** A body that has a page, and its files if it is a site; or that is a page, or the zip of a site. */
export const siteBody = ({ config, pages: { siteQueue } }: Settings) => {
  const page = pageBody(config);
  const { maxSiteBytes } = config;
  return {
    ...page,
    schema: page.schema.extend({ files: filesField(config).optional() }),
    maxBytes: page.maxBytes + JSON_BYTES_OF_SITE * maxSiteBytes,
    site: siteLimits(config),
    others: [
      ...page.others,
      {
        type: 'application/zip',
        // Browsers on Windows call zips so.
        otherTypes: ['application/x-zip-compressed'],
        name: 'a site',
        fields: ['html', 'files'],
        maxBytes: maxSiteBytes + SIZES.body.settingsBytes,
        read: (zip: Buffer, { ownerId }: FormContext) =>
          siteQueue.run(ownerId, QUEUE_WAIT_MS, () => openZip(zip, config)),
      },
      {
        type: 'multipart/form-data',
        name: 'its files',
        fields: ['html', 'files'],
        maxBytes: uploadBytes(config),
        parts: uploadParts,
        read: (body: Buffer, context: FormContext) =>
          siteQueue.run(context.ownerId, QUEUE_WAIT_MS, () => readUpload(body, context, config)),
      },
    ],
  };
};

/** The text of a page, which may be empty. */
const htmlField = ({ maxHtmlBytes }: Config) =>
  z
    .string('html is required: send the page as a string.')
    .refine(
      (text) => Buffer.byteLength(text) <= maxHtmlBytes,
      tooLargeFor(maxHtmlBytes, `html is too large: send at most ${maxHtmlBytes} bytes.`),
    )
    .refine(
      (text) => text.isWellFormed(),
      refused('wrong-format', 'html has a lone surrogate: send well-formed Unicode.'),
    );

/** The text of a draft: one that a person has emptied is a draft, too. */
export const draftHtml = (config: Config) =>
  htmlField(config).meta({
    maxLength: config.maxHtmlBytes,
    description: `The text: at most ${config.maxHtmlBytes} bytes of UTF-8, no lone surrogates. It may be empty.`,
  });

/** A body that has a page, or is one. */
export const pageBody = (config: Config) => ({
  schema: z.object({
    html: htmlField(config)
      .min(1, 'html is empty: send the page.')
      .meta({
        // In characters, each of which takes at least a byte.
        maxLength: config.maxHtmlBytes,
        short: 'The whole page.',
        description:
          `The page: at most ${config.maxHtmlBytes} bytes of UTF-8, no lone surrogates. Served byte for byte, except for ` +
          "`{{FORM_ACTION}}`: each occurrence becomes the address that receives the page's forms.",
      }),
  }),
  example: { html: exampleHtml },
  maxBytes: pageBodyBytes(config.maxHtmlBytes),
  others: [
    {
      type: 'text/html',
      name: 'the page itself',
      fields: ['html'],
      maxBytes: config.maxHtmlBytes,
      async read(content: Buffer) {
        if (isUtf8(content)) return { html: content.toString() };
        throw new HttpError(400, 'The body is not valid UTF-8: save the page as UTF-8, and send it again.');
      },
    },
  ],
});

/** The path of a page's HTML. */
export const HTML_PATH = '/deploy/:id/html';

/** The answer `{"html":…}`. */
export const htmlAsJson = (html: Buffer): JsonPieces => jsonText(JSON.stringify({ html: html.toString() }));
