export const page = {} as const;
