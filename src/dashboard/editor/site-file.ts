import { answer, api } from '../api.ts';
import { fill, t } from '../texts/chosen-texts.ts';
import type { Draft } from './draft/draft-place.ts';

const TEXT = /^text\/|^image\/svg\+xml|^application\/(?:.*\+)?(?:json|javascript|xml)\b/;

/** Returns whether a file is one that is edited as text. */
export const isTextFile = ({ content_type: type }: { content_type: string }): boolean => TEXT.test(type);

/** Proxies that compress answers make an ETag weak, and PUT accepts strong ones only. */
export const strongTag = ({ headers }: Response): string => (headers.get('ETag') ?? '').replace(/^W\//, '');

/** Reads the text of a file with all of its bytes, and its ETag; throws where it is not UTF-8. */
export async function readText(id: string, path: string, signal: AbortSignal): Promise<Draft> {
  const call = api.GET('/deploy/{id}/files/{path}', { params: { path: { id, path } }, parseAs: 'blob', signal });
  const content = await (await answer(call)).arrayBuffer();
  try {
    const html = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    return { html, etag: strongTag((await call).response) };
  } catch {
    throw new Error(fill(t.editor.edit.notUtf8, { path }));
  }
}
