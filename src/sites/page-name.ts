/** A longer title is cut in sentences and in subjects of mails, so that what comes after it is read. */
const MAX_NAME_CHARS = 60;

/** What people call a page: its title, or its slug where it has none. */
export function pageName({ title, slug }: { title: string | null; slug: string }): string {
  const characters = [...(title ?? slug)];
  return characters.length > MAX_NAME_CHARS
    ? `${characters.slice(0, MAX_NAME_CHARS - 1).join('')}…`
    : characters.join('');
}
