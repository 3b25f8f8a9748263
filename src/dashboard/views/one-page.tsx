import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { pageLinks } from '../links.ts';
import { Loading } from '../ui/states.tsx';

/** The address of a page alone leads to its inbox. */
export default function OnePage(): JSX.Element {
  const { route } = useLocation();
  const { id = '' } = useRoute().params;
  useEffect(() => route(pageLinks(id).inbox, true), [route, id]);
  return <Loading label="Loading the inbox" />;
}
