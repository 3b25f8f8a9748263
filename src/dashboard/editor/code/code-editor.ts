import { defaultKeymap } from '@codemirror/commands';
import { openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers, type ViewUpdate } from '@codemirror/view';
import { languageOf } from './code-languages.ts';
import { CODE_PHRASES } from './code-phrases.ts';
import { CODE_THEME } from './code-theme.ts';

/** A line and a column of a text, from 1. */
export type CodePlace = { line: number; column: number };

type CodeEvents = {
  /** `step`: changes with one name are undone together. */
  onChange(text: string, step: string | undefined): void;
  onUndo(): void;
  onRedo(): void;
  onDropFile(file: File): unknown;
};

const BREAK = /\r\n?|\n/g;

/** Line breaks that are the same everywhere are kept; otherwise a carriage return is a letter at the end of its line. */
function breakOf(text: string): string {
  const [only = '\n', another] = new Set(text.match(BREAK));
  return another === undefined ? only : '\n';
}

declare global {
  interface ShadowRoot {
    /** Chromium has a selection for each root, other browsers one for the document. */
    getSelection?(): Selection | null;
  }
}

/** The selection of the browser: the editor's own may be a moment behind. */
function selectedRange(view: EditorView): { from: number; to: number } {
  const { root } = view;
  const selection = (root instanceof ShadowRoot && root.getSelection?.()) || document.getSelection();
  const { anchorNode, focusNode } = selection ?? {};
  if (!selection || !anchorNode || !focusNode || !view.contentDOM.contains(anchorNode))
    return view.state.selection.main;
  const anchor = view.posAtDOM(anchorNode, selection.anchorOffset);
  const focus = view.posAtDOM(focusNode, selection.focusOffset);
  return { from: Math.min(anchor, focus), to: Math.max(anchor, focus) };
}

/**
 * Replaces a selection by what is typed: a browser would carry the styles of the selection over to the new text, which the policy of the
 * dashboard refuses.
 */
function replaceTyped(event: InputEvent, view: EditorView): boolean {
  if (event.inputType !== 'insertText' || event.isComposing || event.data === null) return false;
  const { from, to } = selectedRange(view);
  if (from === to) return false;
  event.preventDefault();
  const insert = view.state.toText(event.data);
  const selection = { anchor: from + insert.length };
  view.dispatch({ changes: { from, to, insert }, selection, scrollIntoView: true, userEvent: 'input.type' });
  return true;
}

/** Returns the range in which two texts differ. */
function difference(before: string, after: string): { from: number; to: number; end: number } {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < shorter - from && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return { from, to: before.length - same, end: after.length - same };
}

/** Typing in one line is one step. */
function stepOf({ transactions, state }: ViewUpdate): string | undefined {
  const isTyping = transactions.every((one) => one.isUserEvent('input.type') || one.isUserEvent('delete.backward'));
  return isTyping ? `code:${state.doc.lineAt(state.selection.main.head).number}` : undefined;
}

/** A text with colours, the numbers of its lines, and a search. Its styles are in a shadow root: the dashboard allows no others. */
export class CodeEditor {
  readonly #view: EditorView;
  /** Makes the state of a text, whose line breaks it has. */
  readonly #stateOf: (text: string, before?: EditorState) => EditorState;
  readonly #wrapping = new Compartment();
  readonly #described = new Compartment();
  /** Texts that were typed, and have not come back from the view yet. */
  #told: string[] = [];

  constructor(root: ShadowRoot, path: string, text: string, events: CodeEvents) {
    const run = (act: () => void) => () => {
      act();
      return true;
    };
    this.#stateOf = (shown, before) =>
      EditorState.create({
        doc: shown,
        extensions: [
          EditorState.lineSeparator.of(breakOf(shown)),
          lineNumbers(),
          highlightActiveLine(),
          languageOf(path),
          search({ top: true }),
          CODE_THEME,
          CODE_PHRASES,
          this.#wrapping.of((before && this.#wrapping.get(before)) ?? EditorView.lineWrapping),
          this.#described.of((before && this.#described.get(before)) ?? []),
          // Programs that check accessibility do not know that one can get into an editable text with Tab, and scroll it.
          EditorView.contentAttributes.of({ dir: 'ltr', tabindex: '0' }),
          keymap.of([
            { key: 'Mod-z', run: run(events.onUndo), preventDefault: true },
            { key: 'Mod-Shift-z', run: run(events.onRedo), preventDefault: true },
            { key: 'Mod-y', run: run(events.onRedo), preventDefault: true },
            ...searchKeymap,
            ...defaultKeymap,
          ]),
          // The clipboard has line breaks of its own.
          EditorView.clipboardInputFilter.of((pasted, { lineBreak }) => pasted.replace(BREAK, lineBreak)),
          EditorView.domEventHandlers({
            beforeinput: replaceTyped,
            drop(event) {
              const file = event.dataTransfer?.files[0];
              if (!file) return false;
              event.preventDefault();
              events.onDropFile(file);
              return true;
            },
          }),
          EditorView.updateListener.of((update) => {
            const isOwn = update.transactions.some((one) => one.isUserEvent('set'));
            if (!update.docChanged || isOwn) return;
            const changed = update.state.sliceDoc();
            this.#told.push(changed);
            events.onChange(changed, stepOf(update));
          }),
        ],
      });
    this.#view = new EditorView({ state: this.#stateOf(text), root, parent: root });
  }

  /** Shows another text, and keeps the place where it is the same. */
  set(text: string): void {
    const { state } = this.#view;
    const told = this.#told.indexOf(text);
    this.#told = told === -1 ? [] : this.#told.slice(told + 1);
    if (told !== -1 || state.sliceDoc() === text) return;
    if (text.search(BREAK) !== -1 && breakOf(text) !== state.lineBreak) {
      this.#view.setState(this.#stateOf(text, state));
      return;
    }
    // Offsets of the editor count each line break as one character.
    const [before, after] = [state.doc.toString(), state.toText(text).toString()];
    const { from, to, end } = difference(before, after);
    this.#view.dispatch({
      changes: { from, to, insert: state.toText(after.slice(from, end)) },
      selection: { anchor: end },
      scrollIntoView: true,
      userEvent: 'set',
    });
  }

  /** Puts the cursor at a place, selects the rest of its line, and shows it. */
  show({ line, column }: CodePlace): void {
    const { doc } = this.#view.state;
    const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const anchor = Math.min(from + Math.max(column - 1, 0), to);
    this.#view.dispatch({
      selection: { anchor: to, head: anchor },
      effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
    });
    this.#view.focus();
  }

  /** Shows the body of a page first: its texts come after its styles. */
  showBody(): void {
    const text = this.#view.state.doc.toString();
    const at = text.search(/<body\b/i);
    if (at > 0) this.#view.dispatch({ effects: EditorView.scrollIntoView(at, { y: 'start', yMargin: 40 }) });
  }

  wrap(isWrapped: boolean): void {
    this.#view.dispatch({ effects: this.#wrapping.reconfigure(isWrapped ? EditorView.lineWrapping : []) });
  }

  /** Says to assistive technology how the text is called, and what is wrong with it. */
  describe(label: string, error: string | undefined): void {
    const attributes = {
      'aria-label': label,
      ...(error !== undefined && { 'aria-invalid': 'true', 'aria-description': error }),
    };
    this.#view.dispatch({ effects: this.#described.reconfigure(EditorView.contentAttributes.of(attributes)) });
  }

  find(): void {
    openSearchPanel(this.#view);
  }

  focus(): void {
    this.#view.focus();
  }

  close(): void {
    this.#view.destroy();
  }
}
