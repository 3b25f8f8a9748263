import type { JSX } from 'preact';
import { Labelled } from '../../ui/field.tsx';
import { Section } from '../../ui/section.tsx';
import type { InPlace } from '../in-place/use-in-place.ts';
import { editHead, head } from '../source/page-head.ts';
import { TypedField } from './typed-field.tsx';

/** The title, the description and the colour of a page. */
export function HeadFields({ inPlace: { source, edit } }: { inPlace: InPlace }): JSX.Element {
  const { title, description, color } = head(source);
  return (
    <Section title="Page">
      <TypedField
        label="Title"
        hint="In the tab of the browser, in search results and in your list of pages."
        value={title ?? ''}
        onChange={(typed) => edit(editHead(source, { title: typed }), 'title')}
      />
      <TypedField
        label="Description"
        hint="A sentence for search results and for messages with a link to the page."
        value={description ?? ''}
        onChange={(typed) => edit(editHead(source, { description: typed }), 'description')}
      />
      <Labelled label="Colour" hint={color === null && 'The page does not name one yet.'}>
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
