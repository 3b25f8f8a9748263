import { ALTCHA_ELEMENT, CAPTCHA_FIELDS, type CaptchaProvider } from '../../forms/captcha-fields.ts';
import { attribute, type HtmlElement, startOf } from '../../forms/html-tree.ts';
import { rawTextOf } from '../../forms/page-texts.ts';
import { SIZES } from '../../sizes.ts';
import type { AddressReader } from './addresses.ts';
import type { Found, WidgetInput } from './answer.ts';
import { nameOf } from './form-fields.ts';
import type { Insertion } from './insertions.ts';
import type { ReadForm } from './page-forms.ts';
import type { PageParts } from './read-page.ts';
import type { Scripts } from './scripts.ts';
import { placeAbove } from './widget-place.ts';

/* Checks that the forms of a page have the widget of their captcha. Without it, everything that they send is kept as spam. */

export type CaptchaPage = {
  parts: PageParts;
  forms: readonly ReadForm[];
  /** Where markup can be put at the end of a form. */
  formEnds: ReadonlyMap<HtmlElement, number>;
  address: AddressReader;
};

/** Returns whether a script is ALTCHA's, from this service or from elsewhere. */
const isAltcha = (script: HtmlElement): boolean => /altcha/i.test(attribute(script, 'src') ?? '');

/** Returns whether a script of the page may make the widgets: it names the captcha, or it is ALTCHA's from elsewhere. */
function areMadeByScript({ parts, address }: CaptchaPage, provider: CaptchaProvider): boolean {
  return parts.scripts.some((script) => {
    if (rawTextOf(script).toLowerCase().includes(provider)) return true;
    const url = address.resolve(attribute(script, 'src') ?? '');
    return provider === 'altcha' && isAltcha(script) && !(url && address.isOfService(url));
  });
}

/** The forms that are stored here, have no widget of the captcha, and get none from a script of the page. */
function formsWithout(provider: CaptchaProvider, page: CaptchaPage): ReadForm[] {
  const captchas = page.parts.captchas.filter((captcha) => captcha.provider === provider);
  if (captchas.length === 0 && areMadeByScript(page, provider)) return [];
  const withWidget = new Set(captchas.map(({ form }) => form));
  return page.forms.filter(
    ({ element, submitsHere, controls }) =>
      submitsHere &&
      !withWidget.has(element) &&
      !controls.some((control) => nameOf(control.element) === CAPTCHA_FIELDS[provider]),
  );
}

/** The forms that the service does not give the widget to. */
export function* problemsOfCaptcha(
  provider: CaptchaProvider | undefined,
  page: CaptchaPage,
  scripts: Scripts,
): Generator<Found> {
  if (provider === undefined) return;
  let added = 0;
  for (const { element } of formsWithout(provider, page)) {
    const canHaveWidget = provider === 'altcha' && page.formEnds.has(element);
    if (canHaveWidget) added += 1;
    if (canHaveWidget && added <= SIZES.captcha.maxWidgets) continue;
    const write = canHaveWidget
      ? `the service puts the widget into ${SIZES.captcha.maxWidgets} forms of a page, write <${ALTCHA_ELEMENT}> into the others`
      : provider === 'altcha'
        ? `write </form> at the end of the form, outside of tables, where the service can put the widget, or write <${ALTCHA_ELEMENT}> into the form`
        : `put the widget of ${provider} into the form`;
    // A script that can't be read may make the widget.
    const severity = scripts.hasOthers ? 'warning' : 'error';
    const message = `The form lacks the widget of the captcha that spam.captcha switches on, so that all it sends is kept as spam: ${write}.`;
    yield { code: 'captcha-missing', severity, message, at: startOf(element) };
  }
}

/** ALTCHA's widget for each form that lacks it. */
export function widgetInsertions(page: CaptchaPage, { element, script }: WidgetInput): Insertion[] {
  const places = formsWithout('altcha', page).flatMap((form) => {
    const end = page.formEnds.get(form.element);
    return end === undefined ? [] : [placeAbove(form, end)];
  });
  const isLoaded = page.parts.scripts.some(isAltcha);
  return places
    .slice(0, SIZES.captcha.maxWidgets)
    .toSorted((one, other) => one - other)
    .map((at, index) => ({ at, text: (isLoaded || index > 0 ? '' : script) + element }));
}
