import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { toError } from '../data.ts';
import { type ChosenFile, droppedFiles, inputFiles, type Site, siteOf } from '../sites.ts';
import { t } from '../texts/chosen-texts.ts';
import { Button, type ButtonProps } from './button.tsx';

/** A button that lets one choose files. */
export function FileButton({
  isFolder,
  isMultiple,
  onFiles,
  ...button
}: Omit<ButtonProps, 'onClick'> & {
  /** All files of a folder. */
  isFolder?: boolean;
  isMultiple?: boolean;
  onFiles(files: readonly ChosenFile[]): unknown;
}): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        hidden
        multiple={isMultiple}
        {...{ webkitdirectory: isFolder }}
        onChange={({ currentTarget }) => {
          const files = inputFiles(currentTarget);
          // The same file can be chosen again, once it was corrected.
          currentTarget.value = '';
          onFiles(files);
        }}
      />
    </>
  );
}

/** Lets one choose or drop a site. */
export function SiteChooser({ text, onSite }: { text: string; onSite(site: Site): unknown }): JSX.Element {
  const [error, setError] = useState<string>();
  async function choose(files: readonly ChosenFile[] | Promise<readonly ChosenFile[]>): Promise<void> {
    setError(undefined);
    try {
      await onSite(siteOf(await files));
    } catch (thrown) {
      setError(toError(thrown).message);
    }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons do the same.
    <div
      class="stack drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (event.dataTransfer) choose(droppedFiles(event.dataTransfer));
      }}
    >
      <p>{text}</p>
      <div class="buttons">
        <FileButton icon="upload" isFolder onFiles={choose}>
          {t.page.files.chooseFolder}
        </FileButton>
        <FileButton icon="upload" isMultiple onFiles={choose}>
          {t.page.files.chooseFiles}
        </FileButton>
      </div>
      <div role="alert">{error && <p class="error">{error}</p>}</div>
    </div>
  );
}
