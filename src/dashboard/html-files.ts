import { readHtmlBytes } from '../sites/html-charset.ts';
import { fill, t } from './texts/chosen-texts.ts';

export const isHtml = (path: string): boolean => /\.html?$/i.test(path);

/** Reads HTML files, and remembers which were converted to UTF-8. */
export class HtmlFiles {
  readonly #converted: string[] = [];

  /** Reads a file as text; throws where its letters can't be read. */
  async read(file: File, path = file.name): Promise<string> {
    return (await this.convert(file, path)) ?? file.text();
  }

  /** The text of a file that is not UTF-8; undefined: it is, and can be sent as it is. Throws as `read` does. */
  async convert(file: File, path: string): Promise<string | undefined> {
    const read = readHtmlBytes(new Uint8Array(await file.arrayBuffer()));
    if (!read) {
      throw new Error(fill(t.page.files.notUtf8, { path }));
    }
    if (read.charset === undefined) return undefined;
    this.#converted.push(`${path} (${read.charset})`);
    return read.html;
  }

  /** A sentence about the files that were converted; '' for none. */
  get notice(): string {
    return this.#converted.length === 0 ? '' : fill(t.page.files.converted, { files: this.#converted.join(', ') });
  }
}
