/** `type`: its content type. */
export type FileText = { text: string; type: string };

/**
 * Files of a site as somebody has them who has not published all of them. `root`: the address of the site. `drafted`: the paths of
 * those that are not published. `texts`: theirs, and those of all style sheets, which may load them.
 */
export type SiteDrafts = { root: string; drafted: readonly string[]; texts: ReadonlyMap<string, FileText> };
