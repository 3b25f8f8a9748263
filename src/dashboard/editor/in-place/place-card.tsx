import type { ComponentChildren, JSX } from 'preact';
import { t } from '../../texts/chosen-texts.ts';
import { Field } from '../../ui/field.tsx';
import { Section } from '../../ui/section.tsx';
import { TypedField } from '../panel/typed-field.tsx';
import { editImage, editLink, editText, type Place } from '../source/editable-places.ts';
import type { InPlace } from './use-in-place.ts';

/** The place that is chosen in the page, with what can't be typed there, and the address of the link around it. `images`: chooses a file for an image. */
export function PlaceCard({
  place,
  inPlace: { source, edit, link },
  images,
}: {
  place: Place;
  inPlace: InPlace;
  images(use: (src: string) => void): ComponentChildren;
}): JSX.Element {
  const { id, kind, text, src, alt } = place;
  const { id: linkId, href } = link ?? place;
  return (
    <Section title={t.editor.place.chosen[kind]}>
      {text !== undefined && kind !== 'image' && (
        <TypedField
          isNeeded
          label={t.editor.place.words[kind]}
          value={text}
          onChange={(typed) => edit(editText(source, id, typed), `text-of:${id}`)}
        />
      )}
      {href !== undefined && (
        <Field
          label={t.editor.place.href}
          type="url"
          value={href}
          onChange={(typed) => edit(editLink(source, linkId, { href: typed }), `href-of:${linkId}`)}
        />
      )}
      {kind === 'image' && (
        <>
          <TypedField
            label={t.editor.place.alt}
            hint={t.editor.place.altHint}
            value={alt ?? ''}
            onChange={(typed) => edit(editImage(source, id, { alt: typed }), `alt-of:${id}`)}
          />
          <Field
            label={t.editor.place.src}
            value={src ?? ''}
            onChange={(typed) => edit(editImage(source, id, { src: typed }), `src-of:${id}`)}
          />
          {images((chosen) => edit(editImage(source, id, { src: chosen })))}
        </>
      )}
    </Section>
  );
}
