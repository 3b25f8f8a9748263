import type { Texts } from './texts.ts';

export const nl: Texts = {
  dir: 'ltr',
  gap: ' ',
  thanks: { title: 'Bedankt', text: 'Uw bericht is verzonden.' },
  back: 'Terug naar de pagina',

  unavailable: {
    title: 'Dit formulier is niet beschikbaar',
    text: 'De pagina waar het bij hoort, is niet meer online.',
  },
  full: {
    title: 'Een ogenblik geduld',
    text: 'Te veel mensen hebben dit formulier in de afgelopen minuut verzonden.',
  },
  busy: { title: 'Uw bericht kon nog niet worden verzonden', text: 'De dienst heeft het op dit moment erg druk.' },
  failed: {
    title: 'Er is iets misgegaan',
    text: 'Dat ligt niet aan u. Misschien is uw bericht niet verzonden.',
  },
  slow: { title: 'Uw bericht kon niet worden verzonden', text: 'De verbinding was te traag.' },
  notSent: {
    title: 'Uw bericht kon niet worden verzonden',
    text: 'Wat het formulier heeft verzonden, kon niet worden geaccepteerd.',
  },
  nothingSent: 'Er is niets verzonden.',
  tryAgain: (time) => `Probeer het ${time} opnieuw.`,
  tryAgainSoon: 'Probeer het zo meteen opnieuw.',
  goBack: 'Ga terug in uw browser: wat u hebt ingevuld, zou er nog moeten staan.',

  tooLarge: {
    title: 'Dit is te groot om te verzenden',
    text: 'Maak uw tekst korter of kies kleinere bestanden.',
    file: (name, size) => `Het bestand ${name} is groter dan ${size}.`,
    files: (size) => `Samen zijn de bestanden groter dan ${size}.`,
    fileCount: (count) => `Er kunnen niet meer dan ${count} bestanden tegelijk worden verzonden.`,
    noFiles: 'Met dit formulier kunnen geen bestanden worden verzonden.',
  },

  kept: 'Wat u hebt ingevuld, is bewaard.',
  filesNotKept: 'Bestanden worden niet bewaard: kies ze opnieuw of verzend het formulier zonder bestanden.',
  chooseAgain: (name) => `Opnieuw kiezen: ${name}`,
  chooseSmaller: (name) => `Kies een kleiner bestand in plaats van ${name}`,
  send: 'Verzenden',
  sendAgain: 'Opnieuw verzenden',

  wrongForm: {
    title: 'Dit formulier kon niet worden verzonden',
    text: 'Het formulier is niet goed ingesteld.',
    owner: (attribute, tag) => `Hebt u deze pagina gemaakt? Voeg ${attribute} toe aan de tag ${tag} van het formulier.`,
  },

  wrongSite: {
    title: 'Dit formulier kan niet vanaf deze site worden verzonden',
    text: 'Het formulier accepteert niets van de site waarop het staat.',
    owner: (origin) =>
      `Laat het de beheerders van ${origin} weten: hun site moet bij de toegestane oorsprongen (allowed origins) van het formulier horen.`,
  },

  noPage: { title: 'Pagina niet gevonden', text: 'Op dit adres staat geen pagina.' },
  wrongMethod: { title: 'Dit kan hier niet', text: 'De pagina kan niet op deze manier worden gebruikt.' },
  takenDown: {
    title: 'Deze pagina is niet beschikbaar',
    text: 'Deze pagina is offline gehaald.',
    contact: (link) => `Neem bij vragen contact op met ${link}.`,
  },
  pageBusy: {
    title: 'Deze pagina kan nu niet worden getoond',
    text: 'De dienst heeft het op dit moment erg druk.',
  },
  pageFailed: { title: 'Er is iets misgegaan', text: 'Deze pagina kan niet worden getoond.' },
  badRequest: { title: 'Dit adres kan niet worden geopend', text: 'Controleer het adres op fouten.' },
  needsJavaScript: 'Zet JavaScript aan: dit formulier gebruikt het om mensen van robots te onderscheiden.',
};
