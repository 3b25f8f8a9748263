import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const COLORS = HighlightStyle.define([
  { tag: [tags.tagName, tags.keyword, tags.definitionKeyword], color: 'var(--accent)' },
  { tag: [tags.attributeName, tags.propertyName, tags.className], color: 'var(--warn)' },
  { tag: [tags.attributeValue, tags.string, tags.number, tags.color, tags.unit], color: 'var(--good)' },
  { tag: [tags.comment, tags.documentMeta, tags.processingInstruction], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.angleBracket, tags.punctuation, tags.bracket, tags.operator], color: 'var(--muted)' },
]);

const THEME = EditorView.theme({
  '&': {
    height: '100%',
    border: '1px solid var(--field-line)',
    borderRadius: 'var(--radius)',
    background: 'var(--card)',
    color: 'var(--text)',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': { font: '13px / 20px var(--mono)', borderRadius: 'var(--radius)' },
  '.cm-content': { caretColor: 'var(--text)', padding: 'var(--space-3) 0' },
  '.cm-gutters': { border: '0', background: 'var(--code)', color: 'var(--muted)' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'none' },
  '&.cm-focused .cm-activeLine': { background: 'var(--hover)' },
  '.cm-searchMatch': { background: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { background: 'var(--accent-soft)', outline: '2px solid var(--accent)' },
  '.cm-panels': { border: '0', background: 'var(--back)', color: 'var(--text)' },
  '.cm-panel.cm-search': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: 'var(--space-2)',
    padding: 'var(--space-2) var(--space-6) var(--space-2) var(--space-2)',
    borderBottom: '1px solid var(--line)',
    font: 'var(--small) system-ui, sans-serif',
  },
  '.cm-panel.cm-search br': { display: 'none' },
  '.cm-panel.cm-search label': { fontSize: 'inherit' },
  '.cm-panel.cm-search .cm-textfield': {
    flex: '1 1 8rem',
    minHeight: 'var(--touch)',
    margin: '0',
    border: '1px solid var(--field-line)',
    borderRadius: 'var(--radius)',
    background: 'var(--card)',
    color: 'inherit',
    font: 'inherit',
  },
  '.cm-panel.cm-search .cm-button': {
    minHeight: 'var(--touch)',
    margin: '0',
    border: '1px solid var(--field-line)',
    borderRadius: 'var(--radius)',
    background: 'var(--card)',
    color: 'inherit',
    font: 'inherit',
  },
  '.cm-panel.cm-search [name=close]': {
    minWidth: 'var(--touch)',
    minHeight: 'var(--touch)',
    color: 'inherit',
    font: 'inherit',
  },
});

export const CODE_THEME: Extension = [THEME, syntaxHighlighting(COLORS)];
