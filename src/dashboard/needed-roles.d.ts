/** The least that operations need of who calls them: scripts/build.ts makes it of their declarations. */
declare const NEEDED_BY_OPERATION: Readonly<Record<string, string>>;
