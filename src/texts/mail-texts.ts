import type { Language } from '../lib/languages.ts';
import ar from './mails/ar.json' with { type: 'json' };
import de from './mails/de.json' with { type: 'json' };
import en from './mails/en.json' with { type: 'json' };
import es from './mails/es.json' with { type: 'json' };
import fr from './mails/fr.json' with { type: 'json' };
import it from './mails/it.json' with { type: 'json' };
import ja from './mails/ja.json' with { type: 'json' };
import nl from './mails/nl.json' with { type: 'json' };
import pl from './mails/pl.json' with { type: 'json' };
import pt from './mails/pt.json' with { type: 'json' };
import tr from './mails/tr.json' with { type: 'json' };
import zh from './mails/zh.json' with { type: 'json' };

/** All that mails about accounts say in one language: plain text. `{name}` is the place of a value. */
export type MailTexts = typeof en;

export const MAIL_TEXTS: Readonly<Record<Language, MailTexts>> = { en, de, fr, es, pt, it, nl, pl, tr, ja, zh, ar };
