import { EditorState } from '@codemirror/state';
import { fill, t } from '../../texts/chosen-texts.ts';

const { search } = t.editor;

/** The place of a value in a phrase of CodeMirror. */
const PLACE = '$';

/** The phrases of CodeMirror that the search and the keys of the code show or say, by the English ones. */
export const CODE_PHRASES = EditorState.phrases.of({
  Find: search.find,
  Replace: search.replaceBy,
  next: search.next,
  previous: search.previous,
  all: search.all,
  'match case': search.matchCase,
  regexp: search.regexp,
  'by word': search.byWord,
  replace: search.replace,
  'replace all': search.replaceAll,
  close: search.close,
  'Go to line': search.goToLine,
  go: search.go,
  'replaced match on line $': fill(search.replacedOnLine, { line: PLACE }),
  'replaced $ matches': fill(search.replacedMatches, { number: PLACE }),
  'current match': search.currentMatch,
  'on line': search.onLine,
  'Selection deleted': search.selectionDeleted,
});
