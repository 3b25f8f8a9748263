/** How fields for mail addresses are called, in the languages of visitors' pages. */
const ADDRESS =
  /e[-_. ]?mail|mail(?:$|[^a-z])|(?:^|[^a-z])mail|_replyto|courriel|correo|posta|e-?post|メール|邮箱|郵箱|邮件|電子郵件|البريد/i;

/** The names and labels that are looked at have this length at most. */
const MAX_NAME_CHARS = 200;

/** Returns whether the name of a field, or its label, says that it is for a mail address. */
export const namesAddress = (text: string): boolean => ADDRESS.test(text.slice(0, MAX_NAME_CHARS));

/** Returns the one address among those that are found; undefined where there is none, or where they differ. */
export function onlyAddress(addresses: Iterable<string | undefined>): string | undefined {
  const found = new Set<string>();
  for (const address of addresses) if (address !== undefined) found.add(address);
  const [only, ...others] = found;
  return others.length === 0 ? only : undefined;
}
