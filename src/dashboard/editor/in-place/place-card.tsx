import type { ComponentChildren, JSX } from 'preact';
import { Field } from '../../ui/field.tsx';
import { Section } from '../../ui/section.tsx';
import { TypedField } from '../panel/typed-field.tsx';
import { editImage, editLink, editText, type Place } from '../source/editable-places.ts';
import type { InPlace } from './use-in-place.ts';

const TITLES = { text: 'Text', link: 'Link', image: 'Image', button: 'Button' } as const;

/** The place that is chosen in the page, with what can't be typed there. `images`: chooses a file for an image. */
export function PlaceCard({
  place: { id, kind, text, href, src, alt },
  inPlace: { source, edit },
  images,
}: {
  place: Place;
  inPlace: InPlace;
  images(use: (src: string) => void): ComponentChildren;
}): JSX.Element {
  const name = TITLES[kind];
  return (
    <Section title={`Chosen: ${name}`}>
      {text !== undefined && (
        <TypedField
          isNeeded
          label={`${name}: text`}
          value={text}
          onChange={(typed) => edit(editText(source, id, typed), `text-of:${id}`)}
        />
      )}
      {href !== undefined && (
        <Field
          label="Address that it leads to"
          type="url"
          value={href}
          onChange={(typed) => edit(editLink(source, id, { href: typed }), `href-of:${id}`)}
        />
      )}
      {kind === 'image' && (
        <>
          <TypedField
            label="Description of the image"
            hint="For people who don’t see it. Leave it empty for a decoration."
            value={alt ?? ''}
            onChange={(typed) => edit(editImage(source, id, { alt: typed }), `alt-of:${id}`)}
          />
          <Field
            label="Address of the image"
            value={src ?? ''}
            onChange={(typed) => edit(editImage(source, id, { src: typed }), `src-of:${id}`)}
          />
          {images((chosen) => edit(editImage(source, id, { src: chosen })))}
        </>
      )}
    </Section>
  );
}
