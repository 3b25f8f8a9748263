import { type ComponentChildren, h, type JSX } from 'preact';
import { numbers } from './chosen-texts.ts';
import type { Marks, Places } from './translation.ts';

/** Marks that are elements of the same name. */
type Plain = 'strong' | 'em' | 'code' | 'kbd';

/** Makes an element of what is between a mark. */
type Wrap = (content: ComponentChildren) => JSX.Element;

type With<Text extends string> = Readonly<
  Record<Places<Text>, ComponentChildren> & Record<Exclude<Marks<Text>, Plain>, Wrap>
>;

const PART = /\{(\w+)\}|<(\w+)>(.*?)<\/\2>/gs;

const isolated = (value: ComponentChildren): ComponentChildren => {
  if (typeof value === 'number') return numbers.format(value);
  return typeof value === 'string' ? <bdi>{value}</bdi> : value;
};

function partsOf(text: string, values: Readonly<Record<string, ComponentChildren | Wrap>>): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { 0: whole, 1: place, 2: mark = '', 3: content = '', index } of text.matchAll(PART)) {
    parts.push(text.slice(end, index));
    end = index + whole.length;
    const value = values[place ?? mark];
    if (place !== undefined) parts.push(typeof value === 'function' ? undefined : isolated(value));
    else if (typeof value === 'function') parts.push(value(partsOf(content, values)));
    else parts.push(h(mark, {}, partsOf(content, values)));
  }
  return [...parts, text.slice(end)];
}

/**
 * A text with elements in its places, and around its parts: `{email}` is the place of what `with` has by this name, and
 * `<a>…</a>` becomes what the function `a` makes of it; `<strong>`, `<em>`, `<code>` and `<kbd>` stay. A text of others, such as an
 * address, has its own direction.
 */
export const Rich = <Text extends string>(
  props: { text: Text } & ([keyof With<Text>] extends [never] ? { with?: undefined } : { with: With<Text> }),
): JSX.Element => <>{partsOf(props.text, props.with ?? {})}</>;
