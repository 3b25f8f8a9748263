import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/lib/languages.ts';
import { SIZES } from '../../../src/sizes.ts';
import { MAIL_TEXTS, type MailTexts } from '../../../src/texts/mail-texts.ts';
import { decodeWords, headerOf, readMail, testSmtpServer } from '../../support/smtp.ts';
import { BASE_URL, testService } from '../../support/test-service.ts';

/* The languages of mails about accounts: that of the person who asks, and that of the page for a guest. */

const smtp = await testSmtpServer();
const service = await testService({ SMTP_URL: smtp.url });

/** The mail to an address, as its reader's program has it. */
async function mailTo(address: string) {
  const found = () => smtp.received.find(({ to }) => to.includes(address));
  await expect.poll(found, { interval: 20 }).toBeDefined();
  const { headers, parts } = readMail(found()?.raw ?? Buffer.alloc(0));
  return {
    subject: decodeWords(headerOf(headers, 'Subject')),
    language: headerOf(headers, 'Content-Language'),
    text: parts[0]?.text ?? '',
    html: parts[1]?.text ?? '',
    // Headers are ASCII, whatever the language.
    isAscii: headers.every(([, value]) => /^[\x20-\x7e\r\n\t]*$/.test(value)),
  };
}

const htmlTag = (language: string): string =>
  language === 'ar' ? '<html lang="ar" dir="rtl">' : `<html lang="${language}">`;

const unit = (language: string, count: number, name: string): string =>
  new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'long' }).format(count);

describe('a link that signs in', () => {
  const ask = (email: string, headers: Record<string, string>) =>
    service.anonymous.post('/session/mail').set(headers).send({ email }).expect(202);

  it.each(LANGUAGES)('is in the language of the browser: %s', async (language) => {
    const email = `browser-${language}@test.example`;
    await service.owner({ email });
    await ask(email, { 'Accept-Language': language });
    const mail = await mailTo(email);
    const { subject, text, button, footer } = MAIL_TEXTS[language].signIn;
    const time = unit(language, SIZES.session.linkMinutes, 'minute');
    expect(mail).toMatchObject({ subject, language, isAscii: true });
    const [first, link, last] = mail.text.trimEnd().split('\n\n');
    expect([first, last]).toEqual([text.replace('{service}', BASE_URL).replace('{time}', time), footer]);
    expect(link).toContain(`${BASE_URL}/session/mail/`);
    expect(mail.html).toContain(htmlTag(language));
    expect(mail.html).toContain(`<b>${button}</b>`);
  });

  it('is in the language that was chosen in the dashboard, and in English where there is none', async () => {
    for (const email of ['chosen@test.example', 'none@test.example']) await service.owner({ email });
    await ask('chosen@test.example', { 'Accept-Language': 'fr', Cookie: 'formhost-language=ja' });
    await ask('none@test.example', { 'Accept-Language': 'el', Cookie: 'formhost-language=xx' });
    expect(await mailTo('chosen@test.example')).toMatchObject({
      language: 'ja',
      subject: MAIL_TEXTS.ja.signIn.subject,
    });
    expect(await mailTo('none@test.example')).toMatchObject({ language: 'en', subject: 'Sign in to formhost' });
  });
});

describe('an invitation', () => {
  it.each(LANGUAGES)('is in the language of the page: %s', async (language) => {
    const owner = await service.owner({ email: `of-${language}@test.example` });
    const { id } = await owner.deploy({ html: `<html lang="${language}"><title>Größe</title><form></form>` });
    const email = `guest-${language}@test.example`;
    // The owner's browser says nothing of the guest.
    await owner.post(`/deploy/${id}/guests`).set('Accept-Language', 'nl').send({ email, role: 'editor' }).expect(201);
    const mail = await mailTo(email);
    const { subject, editor, link, later } = MAIL_TEXTS[language].invitation;
    const filled = (text: string): string =>
      text
        .replaceAll('{page}', 'Größe')
        .replaceAll('{inviter}', `of-${language}@test.example`)
        .replaceAll('{service}', BASE_URL)
        .replaceAll('{time}', unit(language, SIZES.guest.linkDays, 'day'));
    expect(mail).toMatchObject({ subject: filled(subject), language, isAscii: true });
    expect(mail.text.split('\n\n').slice(0, 2)).toEqual([filled(editor), filled(link)]);
    expect(mail.text.split('\n\n')[3]).toBe(later);
    expect(mail.html).toContain(htmlTag(language));
  });

  it('is in the language of the settings before that of the HTML, and in English without both', async () => {
    const owner = await service.owner({ email: 'owner@test.example' });
    const invited = async (html: string, email: string, settings = {}) => {
      const { id } = await owner.deploy({ html });
      await owner.patch(`/deploy/${id}`).send(settings).expect(200);
      await owner.post(`/deploy/${id}/guests`).send({ email, role: 'reader' }).expect(201);
      return (await mailTo(email)).language;
    };
    expect(await invited('<html lang="de"><form></form>', 'set@test.example', { language: 'pl' })).toBe('pl');
    expect(await invited('<form></form>', 'unknown@test.example')).toBe('en');
  });
});

it('a new address hears in the language of the browser, and the one before in English: a thief may have the browser', async () => {
  const owner = await service.owner({ email: 'before@test.example' });
  await owner.patch('/me').set('Accept-Language', 'tr').send({ email: 'after@test.example' }).expect(200);
  const asked = await mailTo('after@test.example');
  expect(asked).toMatchObject({ language: 'tr', subject: MAIL_TEXTS.tr.newAddress.subject });
  const [, path = ''] = new RegExp(`${BASE_URL}(/me/email/\\S+)`).exec(asked.text) ?? [];
  await service.anonymous.post(path).set('Accept-Language', 'ar').expect(200);
  const told = await mailTo('before@test.example');
  expect(told).toMatchObject({ language: 'en', subject: 'Your address was changed' });
  expect(told.text).toContain('goes to after@test.example from now on');
  expect(told.text).toContain(`Open the dashboard: ${BASE_URL}/dashboard/account`);
});

describe.each(LANGUAGES)('the texts of mails in %s', (language) => {
  const flat = (texts: MailTexts): [string, string][] =>
    Object.entries(texts).flatMap(([group, part]): [string, string][] =>
      typeof part === 'string'
        ? []
        : Object.entries(part).map(([name, text]): [string, string] => [`${group}.${name}`, text]),
    );
  const placesIn = (text: string): string => (text.match(/\{\w+\}/g) ?? []).toSorted().join();

  it('have the places of the English ones, and are translated', () => {
    const texts = new Map(flat(MAIL_TEXTS[language]));
    for (const [name, english] of flat(MAIL_TEXTS.en)) {
      expect([name, placesIn(texts.get(name) ?? '')]).toEqual([name, placesIn(english)]);
      if (language !== 'en') expect(texts.get(name)).not.toBe(english);
    }
    expect(texts.size).toBe(flat(MAIL_TEXTS.en).length);
  });
});
