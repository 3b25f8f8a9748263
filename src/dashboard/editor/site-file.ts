import { readFile } from '../sites.ts';
import { fill, t } from '../texts/chosen-texts.ts';

const TEXT = /^text\/|^image\/svg\+xml|^application\/(?:.*\+)?(?:json|javascript|xml)\b/;

/** Returns whether a file is one that is edited as text. */
export const isTextFile = ({ content_type: type }: { content_type: string }): boolean => TEXT.test(type);

/** Reads the text of a file with all of its bytes; throws where it is not UTF-8. */
export async function readText(id: string, path: string): Promise<string> {
  const content = await (await readFile(id, path)).arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new Error(fill(t.editor.edit.notUtf8, { path }));
  }
}
