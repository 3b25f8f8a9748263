/** The project's folder, seen from src and from dist alike. */
export const PROJECT = new URL('../', import.meta.url);
