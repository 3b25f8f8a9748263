import type { JSX } from 'preact';
import { answer, api } from '../api.ts';
import { useChange } from '../data.ts';
import { putContent } from '../sites.ts';
import { t } from '../texts/chosen-texts.ts';
import { FileButton } from '../ui/site-chooser.tsx';
import { NotSaved } from '../ui/states.tsx';

const FOLDER = 'images';

/** Returns a path that no file of a page has: an image that is live stays until the page is published. */
function freePath(name: string, taken: ReadonlySet<string>): string {
  const safe =
    name
      .normalize('NFC')
      .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^\.+/, '') || 'image';
  const dot = safe.lastIndexOf('.');
  const [stem, type] = dot > 0 ? [safe.slice(0, dot), safe.slice(dot)] : [safe, ''];
  let path = `${FOLDER}/${safe}`;
  for (let number = 2; taken.has(path); number += 1) path = `${FOLDER}/${stem}-${number}${type}`;
  return path;
}

async function addImage(id: string, file: File): Promise<string> {
  const { files } = await answer(api.GET('/deploy/{id}/files', { params: { path: { id } } }));
  const path = freePath(file.name, new Set(files.map((each) => each.path)));
  await putContent(id, path, file);
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Adds a file to a page, for an image in it. `onChosen`: gets the address of the file. */
export function ImageFile({ id, onChosen }: { id: string; onChosen(src: string): unknown }): JSX.Element {
  const { change, run } = useChange();
  return (
    <div class="stack">
      <FileButton
        icon="upload"
        isBusy={change.state === 'saving'}
        onFiles={([chosen]) => chosen && run(async () => void (await onChosen(await addImage(id, chosen.file))))}
      >
        {t.editor.place.chooseImage}
      </FileButton>
      <NotSaved change={change} />
      <p class="hint">{t.editor.place.imageHint}</p>
    </div>
  );
}
