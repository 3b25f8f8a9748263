import { loadTexts } from './texts/chosen-texts.ts';

// A top-level await would do the same, but WebKit ends a second import() of a script that such a module is part of too early.
loadTexts()
  .then(() => import('./main.tsx'))
  // The browser names the file that is missing.
  .catch(() => document.querySelector('.not-loaded')?.classList.add('failed'));
