import frame from '../../finished-pages/frame.html?raw';

/** The HTML of which the finished pages are made. Loaded when they are shown. */
const CONTENTS = import.meta.glob<string>('../../finished-pages/contents/*.html', {
  query: '?raw',
  import: 'default',
  eager: true,
});

export const sourcesOf = (name: string): { frame: string; contents: string } => ({
  frame,
  contents: CONTENTS[`../../finished-pages/contents/${name}.html`] ?? '',
});
