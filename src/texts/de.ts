import type { Texts } from './texts.ts';

export const de: Texts = {
  dir: 'ltr',
  gap: ' ',
  thanks: { title: 'Vielen Dank', text: 'Ihre Nachricht wurde gesendet.' },
  back: 'Zurück zur Seite',

  unavailable: {
    title: 'Dieses Formular ist nicht verfügbar',
    text: 'Die Seite, zu der es gehört, ist nicht mehr online.',
  },
  full: {
    title: 'Bitte warten Sie einen Moment',
    text: 'In der letzten Minute haben zu viele Personen dieses Formular gesendet.',
  },
  busy: {
    title: 'Ihre Nachricht konnte noch nicht gesendet werden',
    text: 'Der Dienst ist gerade überlastet.',
  },
  failed: {
    title: 'Etwas ist schiefgelaufen',
    text: 'Das liegt nicht an Ihnen. Möglicherweise wurde Ihre Nachricht nicht gesendet.',
  },
  slow: { title: 'Ihre Nachricht konnte nicht gesendet werden', text: 'Die Verbindung war zu langsam.' },
  notSent: {
    title: 'Ihre Nachricht konnte nicht gesendet werden',
    text: 'Was das Formular gesendet hat, konnte nicht angenommen werden.',
  },
  nothingSent: 'Es wurde nichts gesendet.',
  tryAgain: (time) => `Bitte versuchen Sie es ${time} erneut.`,
  tryAgainSoon: 'Bitte versuchen Sie es gleich noch einmal.',
  goBack: 'Gehen Sie im Browser zurück: Ihre Angaben sollten dort noch stehen.',

  tooLarge: {
    title: 'Das ist zu groß zum Senden',
    text: 'Bitte kürzen Sie Ihren Text oder wählen Sie kleinere Dateien.',
    file: (name, size) => `Die Datei ${name} ist größer als ${size}.`,
    files: (size) => `Zusammen sind die Dateien größer als ${size}.`,
    fileCount: (count) => `Es können höchstens ${count} Dateien auf einmal gesendet werden.`,
    noFiles: 'Mit diesem Formular können keine Dateien gesendet werden.',
  },

  kept: 'Ihre Angaben sind noch da.',
  filesNotKept:
    'Dateien bleiben nicht erhalten: Bitte wählen Sie sie noch einmal aus, oder senden Sie das Formular ohne sie.',
  chooseAgain: (name) => `Noch einmal auswählen: ${name}`,
  chooseSmaller: (name) => `Wählen Sie statt ${name} eine kleinere Datei`,
  send: 'Senden',
  sendAgain: 'Noch einmal senden',

  wrongForm: {
    title: 'Dieses Formular konnte nicht gesendet werden',
    text: 'Das Formular ist nicht richtig eingerichtet.',
    owner: (attribute, tag) =>
      `Wenn Sie diese Seite erstellt haben: Ergänzen Sie ${attribute} im Tag ${tag} des Formulars.`,
  },

  wrongSite: {
    title: 'Dieses Formular kann von dieser Website nicht gesendet werden',
    text: 'Das Formular nimmt von der Website, auf der es steht, nichts an.',
    owner: (origin) =>
      `Bitte sagen Sie es den Betreibern von ${origin}: Ihre Website muss zu den erlaubten Ursprüngen (allowed origins) des Formulars gehören.`,
  },

  noPage: { title: 'Seite nicht gefunden', text: 'Unter dieser Adresse gibt es keine Seite.' },
  wrongMethod: { title: 'Das ist hier nicht möglich', text: 'Die Seite lässt sich so nicht verwenden.' },
  takenDown: {
    title: 'Diese Seite ist nicht verfügbar',
    text: 'Diese Seite wurde gesperrt.',
    contact: (link) => `Bei Fragen wenden Sie sich bitte an ${link}.`,
  },
  pageBusy: { title: 'Diese Seite kann gerade nicht angezeigt werden', text: 'Der Dienst ist gerade überlastet.' },
  pageFailed: { title: 'Etwas ist schiefgelaufen', text: 'Diese Seite kann nicht angezeigt werden.' },
  badRequest: {
    title: 'Diese Adresse kann nicht geöffnet werden',
    text: 'Bitte prüfen Sie die Adresse auf Tippfehler.',
  },
  needsJavaScript: 'Bitte schalten Sie JavaScript ein: Dieses Formular unterscheidet damit Menschen von Robotern.',
};
