export const inbox = {} as const;
