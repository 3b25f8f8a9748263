import type { Texts } from './texts.ts';

export const it: Texts = {
  dir: 'ltr',
  gap: ' ',
  thanks: { title: 'Grazie', text: 'Il messaggio è stato inviato.' },
  back: 'Torna alla pagina',

  unavailable: {
    title: 'Questo modulo non è disponibile',
    text: 'La pagina a cui appartiene non è più online.',
  },
  full: {
    title: 'Un attimo di pazienza',
    text: 'Troppe persone hanno inviato questo modulo nell’ultimo minuto.',
  },
  busy: {
    title: 'Non è stato ancora possibile inviare il messaggio',
    text: 'Il servizio è molto occupato in questo momento.',
  },
  failed: {
    title: 'Qualcosa è andato storto',
    text: 'Non dipende da Lei. Il messaggio potrebbe non essere stato inviato.',
  },
  slow: { title: 'Non è stato possibile inviare il messaggio', text: 'La connessione era troppo lenta.' },
  notSent: {
    title: 'Non è stato possibile inviare il messaggio',
    text: 'Il contenuto inviato dal modulo non può essere accettato.',
  },
  nothingSent: 'Non è stato inviato nulla.',
  tryAgain: (time) => `Si prega di riprovare ${time}.`,
  tryAgainSoon: 'Si prega di riprovare tra un attimo.',
  goBack: 'Torni indietro nel browser: ciò che ha inserito dovrebbe essere ancora lì.',

  tooLarge: {
    title: 'L’invio è troppo grande',
    text: 'Si prega di accorciare il testo o di scegliere file più piccoli.',
    file: (name, size) => `Il file ${name} è più grande di ${size}.`,
    files: (size) => `Insieme, i file sono più grandi di ${size}.`,
    fileCount: (count) => `Non è possibile inviare più di ${count} file alla volta.`,
    noFiles: 'Questo modulo non può ricevere file.',
  },

  kept: 'Ciò che ha inserito è stato conservato.',
  filesNotKept: 'I file non vengono conservati: si prega di sceglierli di nuovo o di inviare il modulo senza di essi.',
  chooseAgain: (name) => `Scegliere di nuovo: ${name}`,
  chooseSmaller: (name) => `Scegliere un file più piccolo al posto di ${name}`,
  send: 'Invia',
  sendAgain: 'Invia di nuovo',

  wrongForm: {
    title: 'Non è stato possibile inviare questo modulo',
    text: 'Il modulo non è configurato correttamente.',
    owner: (attribute, tag) => `Se questa pagina è Sua: aggiunga ${attribute} al tag ${tag} del modulo.`,
  },

  wrongSite: {
    title: 'Questo modulo non può essere inviato da questo sito',
    text: 'Il modulo non accetta nulla dal sito in cui si trova.',
    owner: (origin) =>
      `Si prega di avvisare i responsabili di ${origin}: il loro sito deve essere tra le origini consentite (allowed origins) del modulo.`,
  },

  noPage: { title: 'Pagina non trovata', text: 'A questo indirizzo non c’è nessuna pagina.' },
  wrongMethod: { title: 'Qui non è possibile', text: 'La pagina non può essere usata in questo modo.' },
  takenDown: {
    title: 'Questa pagina non è disponibile',
    text: 'Questa pagina è stata rimossa.',
    contact: (link) => `Per domande, contattare ${link}.`,
  },
  pageBusy: {
    title: 'Al momento non è possibile mostrare questa pagina',
    text: 'Il servizio è molto occupato in questo momento.',
  },
  pageFailed: { title: 'Qualcosa è andato storto', text: 'Non è possibile mostrare questa pagina.' },
  badRequest: {
    title: 'Non è possibile aprire questo indirizzo',
    text: 'Si prega di controllare che l’indirizzo sia corretto.',
  },
  needsJavaScript: 'Si prega di attivare JavaScript: questo modulo lo usa per distinguere le persone dai robot.',
};
