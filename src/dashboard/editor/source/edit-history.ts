/** Characters of all changes that are kept. */
const MAX_CHARS = 16_000_000;

/** A change from one text to the next: a part at an offset. */
type Step = { from: number; before: string; after: string };

const sizeOf = ({ before, after }: Step): number => before.length + after.length + 32;

function stepBetween(before: string, after: string): Step {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < most - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from, before: before.slice(from, before.length - end), after: after.slice(from, after.length - end) };
}

/** The states of a text, from the first that is kept to the last: typed in the code or in place. Each state is stored as its change. */
export class EditHistory {
  #html: string;
  readonly #done: Step[] = [];
  readonly #undone: Step[] = [];
  #chars = 0;

  constructor(html: string) {
    this.#html = html;
  }

  get html(): string {
    return this.#html;
  }
  get canUndo(): boolean {
    return this.#done.length > 0;
  }
  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  /** Adds a state. What was undone before it is gone, and so are the oldest changes when all take too much memory. */
  push(html: string): void {
    if (html === this.#html) return;
    const step = stepBetween(this.#html, html);
    for (const undone of this.#undone.splice(0)) this.#chars -= sizeOf(undone);
    this.#done.push(step);
    this.#chars += sizeOf(step);
    this.#html = html;
    let excess = 0;
    while (this.#chars > MAX_CHARS && excess < this.#done.length) {
      const oldest = this.#done[excess];
      this.#chars -= oldest ? sizeOf(oldest) : 0;
      excess += 1;
    }
    this.#done.splice(0, excess);
  }

  /** Returns the state before, or this one where there is none. */
  undo(): string {
    const step = this.#done.pop();
    if (step) {
      this.#undone.push(step);
      this.#replace(step.from, step.after, step.before);
    }
    return this.#html;
  }

  /** Returns the state that was undone last, or this one where there is none. */
  redo(): string {
    const step = this.#undone.pop();
    if (step) {
      this.#done.push(step);
      this.#replace(step.from, step.before, step.after);
    }
    return this.#html;
  }

  #replace(from: number, now: string, next: string): void {
    this.#html = this.#html.slice(0, from) + next + this.#html.slice(from + now.length);
  }
}
