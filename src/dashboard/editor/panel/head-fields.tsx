import type { JSX } from 'preact';
import { t } from '../../texts/chosen-texts.ts';
import { Labelled } from '../../ui/field.tsx';
import { Section } from '../../ui/section.tsx';
import type { InPlace } from '../in-place/use-in-place.ts';
import { editHead, head } from '../source/page-head.ts';
import { TypedField } from './typed-field.tsx';

/** The title, the description and the colour of a page. */
export function HeadFields({ inPlace: { source, edit } }: { inPlace: InPlace }): JSX.Element {
  const { title, description, color } = head(source);
  return (
    <Section title={t.editor.head.heading}>
      <TypedField
        label={t.editor.head.title}
        hint={t.editor.head.titleHint}
        value={title ?? ''}
        onChange={(typed) => edit(editHead(source, { title: typed }), 'title')}
      />
      <TypedField
        label={t.editor.head.description}
        hint={t.editor.head.descriptionHint}
        value={description ?? ''}
        onChange={(typed) => edit(editHead(source, { description: typed }), 'description')}
      />
      <Labelled label={t.editor.head.colour} hint={color === null && t.editor.head.noColour}>
        {(control) => (
          <input
            {...control}
            type="color"
            value={color ?? '#ffffff'}
            onInput={({ currentTarget }) => edit(editHead(source, { color: currentTarget.value }), 'color')}
          />
        )}
      </Labelled>
    </Section>
  );
}
