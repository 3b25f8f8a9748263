/** What a person who has just started the service can paste into a shell: deploy a page, fill its form in, read it back. */
export function tour(baseUrl: string, key: string): string {
  const page =
    '<!doctype html><title>Hello</title><form method=post action={{FORM_ACTION}}><input name=name placeholder=Name><button>Send</button></form>';
  // The answer to the first line holds the id that the others need.
  const id = "$(grep -o 'd_[0-9A-Za-z]*' /tmp/formhost.json)";
  return [
    `curl -sw '\\n' ${baseUrl}/deploy -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"html":"${page}"}' | tee /tmp/formhost.json`,
    `curl -sw '\\n' "${baseUrl}/submit/${id}" -d name=Ada`,
    `curl -sw '\\n' "${baseUrl}/submissions/${id}" -H 'Authorization: Bearer ${key}'`,
  ].join('\n');
}

/** What the very first start says. */
export const greeting = (baseUrl: string, key: string): string => `
Your API key, shown this once: ${key}

Deploy a page, fill its form in, read the submission back:

${tour(baseUrl, key)}

`;
