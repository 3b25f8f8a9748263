import type { CheckedFile, Problem } from '../../../compute/check/answer.ts';
import { SIZES } from '../../../sizes.ts';
import { JsonPieces } from '../../request/declaration.ts';
import { textPieces } from './page-html.ts';

/** `path`: of a file of a site. */
export const inFile = (problem: Problem, path: string | undefined): Problem =>
  path === undefined ? problem : { ...problem, file: path };

/** The answer of a check: of one page, or joined of the HTML files of a site. */
export class JoinedCheck {
  #head: Pick<CheckedFile, 'title' | 'lang'> | undefined;
  readonly #forms: Uint8Array[] = [];
  #formCount = 0;
  readonly #problems: Problem[] = [];
  readonly #counts = new Map<Problem['code'], number>();
  /** Of each file without a form. */
  readonly #formless: Problem[] = [];
  #files = 0;

  /** How many more forms the answer may have. */
  get maxForms(): number {
    return SIZES.check.maxForms - this.#formCount;
  }

  /** `path`: of a file of a site. The first file has the title and the language. */
  add({ title, lang, forms, formCount, problems }: CheckedFile, path: string | undefined): void {
    this.#files += 1;
    this.#head ??= { title, lang };
    if (formCount > 0) this.#forms.push(forms);
    this.#formCount += formCount;
    for (const problem of problems) {
      const count = this.#counts.get(problem.code) ?? 0;
      if (count === SIZES.check.maxProblemsPerCode && problem.code !== 'no-form') continue;
      this.#counts.set(problem.code, count + 1);
      (problem.code === 'no-form' ? this.#formless : this.#problems).push(inFile(problem, path));
    }
  }

  /** undefined: no file was added. */
  toJson(): JsonPieces | undefined {
    if (!this.#head) return undefined;
    // A site needs one form, and not one on each page.
    const formless = this.#formless.length === this.#files ? this.#formless.slice(0, 1) : [];
    const end = `],"problems":${JSON.stringify([...formless, ...this.#problems])}}`;
    const start = `${JSON.stringify(this.#head).slice(0, -1)},"forms":[`;
    const bytes = this.#forms.reduce((sum, forms) => sum + forms.length + 1, 0);
    return new JsonPieces(bytes + start.length + end.length, this.#pieces(start, end));
  }

  *#pieces(start: string, end: string): Generator<string> {
    yield start;
    for (const [index, forms] of this.#forms.entries()) {
      if (index > 0) yield ',';
      yield* textPieces(forms, SIZES.internalAnswers.sliceBytes);
    }
    yield end;
  }
}
