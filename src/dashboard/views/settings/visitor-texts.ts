import { type Language, toLanguage } from '../../../lib/languages.ts';
import type { Texts } from '../../../texts/texts.ts';
import { answer, api } from '../../api.ts';
import { useData } from '../../data.ts';

/** The texts of each language, read when they are needed. */
const READ: Readonly<Record<string, () => Promise<Texts>>> = import.meta.glob<Texts>('../../../texts/*.json', {
  import: 'default',
});

/** The look of a page that its visitors' screens take over. `color`: of its `<meta name="theme-color">`, if it has one. */
type Look = { lang: string | undefined; color: string | undefined };

const seen = new Map<string, Look>();

/** So many characters of a page are looked through: its head. */
const HEAD_CHARS = 64 * 1_024;

/** Returns the value of an attribute in the source of a tag. The page is not parsed: it may have scripts. */
function attributeOf(tag: string | undefined, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag ?? '');
  return found?.slice(1).find((value) => value !== undefined);
}

async function readLook(id: string, signal: AbortSignal): Promise<Look> {
  const { html } = await answer(api.GET('/deploy/{id}/html', { params: { path: { id } }, signal }));
  const head = html.slice(0, HEAD_CHARS);
  const [root] = /<html\s[^<>]*>/i.exec(head) ?? [];
  const metas = head.match(/<meta\s[^<>]*>/gi) ?? [];
  const theme = metas.find((tag) => attributeOf(tag, 'name')?.toLowerCase() === 'theme-color');
  const color = attributeOf(theme, 'content')?.trim();
  const [lang] = (attributeOf(root, 'lang') ?? '').split(/[-_]/);
  return { lang: lang?.toLowerCase(), color: color !== undefined && CSS.supports('color', color) ? color : undefined };
}

/** The language of a page's screens for a visitor with this browser: as the setting says, else as the page does. */
function languageFor(setting: string, lang: string | undefined): Language {
  const wanted = navigator.languages.map((tag) => toLanguage(tag.split('-', 1)[0]?.toLowerCase()));
  return toLanguage(setting) ?? toLanguage(lang) ?? wanted.find((language) => language !== undefined) ?? 'en';
}

export type VisitorTexts = { texts: Texts; language: Language; color: string | undefined };

/** The texts of visitors' screens in the language that they have, and their color; undefined until they are read. */
export function useVisitorTexts(id: string, setting: string): VisitorTexts | undefined {
  const look = useData(`look:${id}`, (signal) => readLook(id, signal), seen).data;
  const language = languageFor(setting, look?.lang);
  const texts = useData(`texts:${language}`, async () => READ[`../../../texts/${language}.json`]?.()).data;
  return texts && { texts, language, color: look?.color };
}
