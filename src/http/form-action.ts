const PLACEHOLDER = '{{FORM_ACTION}}';

/** A page as it is served: as given, but for the address that its forms post to. */
export function withFormAction(html: Buffer, action: string): Buffer {
  if (!html.includes(PLACEHOLDER)) return html;
  // latin1 keeps every byte what it is.
  return Buffer.from(
    html.toString('latin1').replaceAll(PLACEHOLDER, () => action),
    'latin1',
  );
}
