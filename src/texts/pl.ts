import type { Texts } from './texts.ts';

export const pl: Texts = {
  dir: 'ltr',
  gap: ' ',
  thanks: { title: 'Dziękujemy', text: 'Wiadomość została wysłana.' },
  back: 'Powrót do strony',

  unavailable: {
    title: 'Ten formularz jest niedostępny',
    text: 'Strona, do której należy, nie jest już dostępna w sieci.',
  },
  full: {
    title: 'Prosimy chwilę poczekać',
    text: 'W ciągu ostatniej minuty zbyt wiele osób wysłało ten formularz.',
  },
  busy: {
    title: 'Wiadomości nie udało się jeszcze wysłać',
    text: 'Serwis jest w tej chwili bardzo obciążony.',
  },
  failed: {
    title: 'Coś poszło nie tak',
    text: 'To nie Państwa wina. Wiadomość mogła nie zostać wysłana.',
  },
  slow: { title: 'Nie udało się wysłać wiadomości', text: 'Połączenie było zbyt wolne.' },
  notSent: {
    title: 'Nie udało się wysłać wiadomości',
    text: 'Dane wysłane przez formularz nie mogły zostać przyjęte.',
  },
  nothingSent: 'Nic nie zostało wysłane.',
  tryAgain: (time) => `Prosimy spróbować ponownie ${time}.`,
  tryAgainSoon: 'Prosimy spróbować ponownie za chwilę.',
  goBack: 'Prosimy wrócić do poprzedniej strony w przeglądarce: wpisane dane powinny tam nadal być.',

  tooLarge: {
    title: 'Tego nie można wysłać: rozmiar jest zbyt duży',
    text: 'Prosimy skrócić tekst lub wybrać mniejsze pliki.',
    file: (name, size) => `Plik ${name} jest większy niż ${size}.`,
    files: (size) => `Łącznie pliki są większe niż ${size}.`,
    fileCount: (count) => `Jednocześnie można wysłać najwyżej ${count} plików.`,
    noFiles: 'Ten formularz nie przyjmuje plików.',
  },

  kept: 'Wpisane dane zostały zachowane.',
  filesNotKept: 'Pliki nie są zachowywane: prosimy wybrać je ponownie lub wysłać formularz bez nich.',
  chooseAgain: (name) => `Wybierz ponownie: ${name}`,
  chooseSmaller: (name) => `Wybierz mniejszy plik zamiast ${name}`,
  send: 'Wyślij',
  sendAgain: 'Wyślij ponownie',

  wrongForm: {
    title: 'Nie udało się wysłać tego formularza',
    text: 'Formularz nie jest poprawnie skonfigurowany.',
    owner: (attribute, tag) => `Jeśli to Państwa strona: prosimy dodać ${attribute} do znacznika ${tag} formularza.`,
  },

  wrongSite: {
    title: 'Tego formularza nie można wysłać z tej witryny',
    text: 'Formularz nie przyjmuje niczego z witryny, na której się znajduje.',
    owner: (origin) =>
      `Prosimy powiadomić osoby prowadzące ${origin}: ich witryna musi należeć do dozwolonych źródeł (allowed origins) formularza.`,
  },

  noPage: { title: 'Nie znaleziono strony', text: 'Pod tym adresem nie ma strony.' },
  wrongMethod: { title: 'To nie jest tutaj możliwe', text: 'Z tej strony nie można korzystać w ten sposób.' },
  takenDown: {
    title: 'Ta strona jest niedostępna',
    text: 'Ta strona została usunięta.',
    contact: (link) => `W razie pytań prosimy o kontakt: ${link}.`,
  },
  pageBusy: {
    title: 'Tej strony nie można teraz wyświetlić',
    text: 'Serwis jest w tej chwili bardzo obciążony.',
  },
  pageFailed: { title: 'Coś poszło nie tak', text: 'Tej strony nie można wyświetlić.' },
  badRequest: { title: 'Nie można otworzyć tego adresu', text: 'Prosimy sprawdzić, czy w adresie nie ma błędów.' },
  needsJavaScript: 'Prosimy włączyć JavaScript: ten formularz odróżnia w ten sposób ludzi od robotów.',
};
