/** The address of the owner of all pages that were published without a key. Nobody has one like it, and no list shows this owner. */
export const ANONYMOUS = 'anonymous';
