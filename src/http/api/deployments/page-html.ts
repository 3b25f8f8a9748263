import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';
import type { Config } from '../../../config.ts';
import type { Owner } from '../../../db/account/owners.ts';
import { type Deployment, replaceHtml } from '../../../db/deployments/deployments.ts';
import { hasAltcha } from '../../../db/submissions/forms.ts';
import type { App } from '../../app.ts';
import { changedMeanwhile } from '../../request/conditions.ts';
import { JsonPieces } from '../../request/declaration.ts';
import { answerObject, textField } from '../../request/fields.ts';
import { OVER_LIMIT, pageBodyBytes } from '../../request/json-body.ts';
import { foundOr404 } from './own-deployment.ts';

/** Bytes of a page that are written as JSON in one go: some 0.3 ms. */
const PAGE_JSON_PIECE_BYTES = 16 * 1024;

/*
 * The HTML of a page: as it is sent, stored and answered.
 */

export const exampleHtml =
  '<!doctype html><title>Spring sale</title><form method="post" action="{{FORM_ACTION}}"><input name="email"></form>';

export const Html = answerObject('Html', { html: textField('The page as it was sent.', exampleHtml) });

/** A body that has a page, or is one. */
export const pageBody = ({ maxHtmlBytes }: Config) => ({
  schema: z.object({
    html: z
      .string('html is required: send the page as a string.')
      .min(1, 'html is empty: send the page.')
      .refine((text) => Buffer.byteLength(text) <= maxHtmlBytes, {
        error: `html is too large: send at most ${maxHtmlBytes} bytes.`,
        params: OVER_LIMIT,
      })
      .refine((text) => text.isWellFormed(), 'html has a lone surrogate: send well-formed Unicode.')
      .meta({
        // In characters, each of which takes at least a byte.
        maxLength: maxHtmlBytes,
        description:
          `The page: at most ${maxHtmlBytes} bytes of UTF-8, no lone surrogates. Served byte for byte, except for ` +
          "`{{FORM_ACTION}}`: each occurrence becomes the address that receives the page's forms.",
      }),
  }),
  example: { html: exampleHtml },
  maxBytes: pageBodyBytes(maxHtmlBytes),
  text: { field: 'html', type: 'text/html', maxBytes: maxHtmlBytes },
});

/** The path of a page's HTML. */
export const HTML_PATH = '/deploy/:id/html';

/** Makes HTML the live page of a deployment; throws 404 if that has been deleted, and 412 if its HTML has none of `etags`. */
export async function publishHtml(
  { db, config, renderer, limitPageWrites, onDeploymentChange }: App,
  owner: Owner,
  { id, slug }: Deployment,
  html: Buffer,
  etags?: readonly string[],
): Promise<Deployment> {
  const given = { deploymentId: id, slug, html, hasAltcha: await hasAltcha(db, id) };
  const page = await renderer.prepare(owner.id, given);
  const deployment = foundOr404(await limitPageWrites(() => replaceHtml(db, owner.id, id, page, config, etags)));
  if (deployment === 'changed') throw changedMeanwhile(HTML_PATH);
  onDeploymentChange({ deploymentId: deployment.id, slug: deployment.slug });
  return deployment;
}

/** UTF-8 as text in pieces, none of which has a part of a character. */
export function* textPieces(text: Uint8Array, pieceBytes: number): Generator<string> {
  const decoder = new StringDecoder();
  for (let from = 0; from < text.length; from += pieceBytes)
    yield decoder.write(text.subarray(from, from + pieceBytes));
}

function* htmlInJson(html: Buffer): Generator<string> {
  yield '{"html":"';
  for (const piece of textPieces(html, PAGE_JSON_PIECE_BYTES)) yield JSON.stringify(piece).slice(1, -1);
  yield '"}';
}

/** The answer `{"html":…}`. */
export const htmlAsJson = (html: Buffer): JsonPieces => new JsonPieces(html.length, htmlInJson(html));
