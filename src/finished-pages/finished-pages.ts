import type { Language } from '../lib/languages.ts';

/**
 * The finished pages that owners start from, by the names of their files in `contents`: the name of the form for agents in browsers
 * (`toolname`), and the colours in a light and in a dark browser. The texts of the dashboard have their titles.
 */
export const FINISHED_PAGES = {
  contact: {
    tool: 'contact_us',
    colors: { accent: '#0b57d0', back: '#f1f4fa', darkAccent: '#8ab4f8', darkBack: '#12151a' },
  },
  registration: {
    tool: 'register',
    colors: { accent: '#146c3b', back: '#f0f6f2', darkAccent: '#6fd39d', darkBack: '#111613' },
  },
  newsletter: {
    tool: 'subscribe_to_newsletter',
    colors: { accent: '#7b2d8e', back: '#f7f2f9', darkAccent: '#d9a5e8', darkBack: '#161218' },
  },
  order: {
    tool: 'order',
    colors: { accent: '#8a4b00', back: '#faf5ee', darkAccent: '#f2b86b', darkBack: '#17140f' },
  },
  survey: {
    tool: 'answer_survey',
    colors: { accent: '#00696d', back: '#eff6f6', darkAccent: '#6fd0d4', darkBack: '#101616' },
  },
  rsvp: {
    tool: 'answer_invitation',
    colors: { accent: '#a3195b', back: '#fbf1f5', darkAccent: '#f4a6c8', darkBack: '#181215' },
  },
  feedback: {
    tool: 'give_feedback',
    colors: { accent: '#4a3fb5', back: '#f3f2fb', darkAccent: '#b3adf5', darkBack: '#131219' },
  },
  application: {
    tool: 'apply_for_job',
    colors: { accent: '#1f5673', back: '#f0f4f7', darkAccent: '#8cc4e0', darkBack: '#111518' },
  },
  waitlist: {
    tool: 'join_waiting_list',
    colors: { accent: '#9a3412', back: '#faf3ef', darkAccent: '#f5a885', darkBack: '#171311' },
  },
} as const;

export type PageName = keyof typeof FINISHED_PAGES;

export const isPageName = (name: string | undefined): name is PageName =>
  name !== undefined && Object.hasOwn(FINISHED_PAGES, name);

/** The texts of one language: those that pages share, and those of each page. They are HTML without tags and quotes. */
export type PageTexts = Readonly<Record<'common' | PageName, Readonly<Record<string, string>>>>;

/** The files of a page: the part that all pages share (`frame.html`), the fields of its form, and the texts of a language. */
type Sources = { frame: string; contents: string; texts: PageTexts };

// {{FORM_ACTION}} stays: the service replaces it.
const PLACE = /\{([a-z]\w*)\}/g;

/** Returns a page in a language, as HTML. Throws when a text is missing. */
export function makePage(name: PageName, language: Language, { frame, contents, texts }: Sources): string {
  const { colors, tool } = FINISHED_PAGES[name];
  const inFrame = contents.trim().replaceAll('\n', '\n        ');
  const values: Readonly<Record<string, string>> = {
    ...{ ...texts.common, ...texts[name], ...colors, tool, lang: language },
    enctype: contents.includes('type="file"') ? '\n        enctype="multipart/form-data"' : '',
  };
  return frame
    .replace('{contents}', () => inFrame)
    .replaceAll(PLACE, (_place, key: string) => {
      const value = values[key];
      if (value === undefined) throw new Error(`The page ${name} has no text "${key}" in the language ${language}.`);
      return value;
    });
}
