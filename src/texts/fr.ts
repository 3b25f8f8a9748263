import type { Texts } from './texts.ts';

export const fr: Texts = {
  dir: 'ltr',
  gap: ' ',
  thanks: { title: 'Merci', text: 'Votre message a été envoyé.' },
  back: 'Retour à la page',

  unavailable: {
    title: 'Ce formulaire n’est pas disponible',
    text: 'La page à laquelle il appartient n’est plus en ligne.',
  },
  full: {
    title: 'Veuillez patienter un instant',
    text: 'Trop de personnes ont envoyé ce formulaire au cours de la dernière minute.',
  },
  busy: {
    title: 'Votre message n’a pas encore pu être envoyé',
    text: 'Le service est très sollicité en ce moment.',
  },
  failed: {
    title: 'Une erreur s’est produite',
    text: 'Vous n’y êtes pour rien. Votre message n’a peut-être pas été envoyé.',
  },
  slow: { title: 'Votre message n’a pas pu être envoyé', text: 'La connexion était trop lente.' },
  notSent: {
    title: 'Votre message n’a pas pu être envoyé',
    text: 'Le contenu envoyé par le formulaire n’a pas pu être accepté.',
  },
  nothingSent: 'Rien n’a été envoyé.',
  tryAgain: (time) => `Veuillez réessayer ${time}.`,
  tryAgainSoon: 'Veuillez réessayer dans un instant.',
  goBack: 'Revenez en arrière dans votre navigateur\u00a0: ce que vous avez saisi devrait encore y être.',

  tooLarge: {
    title: 'L’envoi est trop volumineux',
    text: 'Veuillez raccourcir votre texte ou choisir des fichiers plus petits.',
    file: (name, size) => `Le fichier ${name} dépasse ${size}.`,
    files: (size) => `Ensemble, les fichiers dépassent ${size}.`,
    fileCount: (count) => `Il n’est pas possible d’envoyer plus de ${count} fichiers à la fois.`,
    noFiles: 'Ce formulaire ne peut pas recevoir de fichiers.',
  },

  kept: 'Ce que vous avez saisi a été conservé.',
  filesNotKept:
    'Les fichiers ne sont pas conservés\u00a0: veuillez les choisir à nouveau, ou envoyer le formulaire sans eux.',
  chooseAgain: (name) => `Choisir à nouveau\u00a0: ${name}`,
  chooseSmaller: (name) => `Choisir un fichier plus petit à la place de ${name}`,
  send: 'Envoyer',
  sendAgain: 'Envoyer à nouveau',

  wrongForm: {
    title: 'Ce formulaire n’a pas pu être envoyé',
    text: 'Le formulaire n’est pas configuré correctement.',
    owner: (attribute, tag) =>
      `Si vous avez créé cette page\u00a0: ajoutez ${attribute} à la balise ${tag} du formulaire.`,
  },

  wrongSite: {
    title: 'Ce formulaire ne peut pas être envoyé depuis ce site',
    text: 'Le formulaire n’accepte rien du site sur lequel il se trouve.',
    owner: (origin) =>
      `Veuillez prévenir les responsables de ${origin}\u00a0: leur site doit figurer parmi les origines autorisées (allowed origins) du formulaire.`,
  },

  noPage: { title: 'Page introuvable', text: 'Il n’y a pas de page à cette adresse.' },
  wrongMethod: { title: 'Ce n’est pas possible ici', text: 'La page ne peut pas être utilisée de cette façon.' },
  takenDown: {
    title: 'Cette page n’est pas disponible',
    text: 'Cette page a été retirée.',
    contact: (link) => `Pour toute question, contactez ${link}.`,
  },
  pageBusy: {
    title: 'Cette page ne peut pas être affichée pour le moment',
    text: 'Le service est très sollicité en ce moment.',
  },
  pageFailed: { title: 'Une erreur s’est produite', text: 'Cette page ne peut pas être affichée.' },
  badRequest: {
    title: 'Cette adresse ne peut pas être ouverte',
    text: 'Veuillez vérifier que l’adresse ne contient pas d’erreur.',
  },
  needsJavaScript: 'Veuillez activer JavaScript : ce formulaire l’utilise pour distinguer les personnes des robots.',
};
