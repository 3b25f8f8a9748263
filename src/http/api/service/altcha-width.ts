/**
 * A script that makes the widgets of a page as wide as the fields of their forms. It follows ALTCHA's own script, and sets styles in a
 * way that every Content-Security-Policy allows.
 */
export const FIT_WIDTH = `
{
const FIELDS = 'textarea, select, input:not([type=hidden], [type=checkbox], [type=radio], [type=submit], [type=button], [type=reset], [type=image], [type=color], [type=range])';
const fit = () => {
  for (const widget of document.querySelectorAll('altcha-widget')) {
    const fields = [...(widget.closest('form') ?? widget).querySelectorAll(FIELDS)].filter((field) => !widget.contains(field));
    const width = Math.max(0, ...fields.slice(0, 100).map((field) => field.getBoundingClientRect().width));
    if (width > 0) widget.style.setProperty('--altcha-max-width', Math.ceil(width) + 'px');
  }
};
fit();
addEventListener('load', fit);
addEventListener('resize', fit);
}
`;
