import { customAlphabet } from 'nanoid';

/*
 * A preview of a page has a host of its own, whose label nobody can guess. It looks like a slug, and no page gets it as one.
 */

export const PREVIEW_PREFIX = 'preview-';
/** 122 random bits. */
const LETTERS = 26;

const letters = customAlphabet('abcdefghijklmnopqrstuvwxyz', LETTERS);
const LABEL = new RegExp(`^${PREVIEW_PREFIX}[a-z]{${LETTERS}}$`);

export const newPreviewLabel = (): string => PREVIEW_PREFIX + letters();

export const isPreviewLabel = (label: string): boolean => label.startsWith(PREVIEW_PREFIX) && LABEL.test(label);
