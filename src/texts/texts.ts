import type { Language } from '../lib/languages.ts';
import ar from './ar.json' with { type: 'json' };
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import it from './it.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };
import nl from './nl.json' with { type: 'json' };
import pl from './pl.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };
import tr from './tr.json' with { type: 'json' };
import zh from './zh.json' with { type: 'json' };

/**
 * All that pages for visitors say in one language. A text is HTML without tags; `{name}` is the place of a value.
 * `gap` is what stands between two sentences.
 */
export type Texts = typeof en;

export const TEXTS: Readonly<Record<Language, Texts>> = { en, de, fr, es, pt, it, nl, pl, tr, ja, zh, ar };
