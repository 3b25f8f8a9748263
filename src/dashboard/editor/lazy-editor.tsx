import type { JSX } from 'preact';
import { useData } from '../data.ts';
import { t } from '../texts/chosen-texts.ts';
import { Shown } from '../ui/states.tsx';
import type { EditorProps } from './editor.tsx';

/** The editor, which is large: it is loaded once its view is shown. */
export function LazyEditor(props: EditorProps): JSX.Element {
  const loaded = useData('editor', () => import('./editor.tsx'));
  return (
    <Shown loaded={loaded} label={t.editor.edit.loadingEditor}>
      {({ Editor }) => <Editor {...props} />}
    </Shown>
  );
}
