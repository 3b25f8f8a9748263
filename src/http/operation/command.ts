/*
 * How an operation offers itself on the command line. The command takes the parameters of the path and the fields of the query and
 * the body as arguments and options; `short` in their meta(), or the first sentence of their description, is what help says of them.
 */

/** The words that were typed for the arguments, by the names of these. */
export type Typed = Readonly<Record<string, string>>;

export type Row = readonly (string | number | boolean | null)[];

/** Names of fields are those of the query and the body; `declareCommands` in src/commands/owner throws for another one. */
export type Command<Answer> = {
  /**
   * The words of the command, and its arguments as help shows them: `webhooks add <id> <url>`. `<id>` is a page, by its id or its slug;
   * `<webhook>` is the parameter `webhookId`, and `<url>` a field. Options are not named here. An option at the end says when this
   * operation is called, and not another one with the same words: `webhooks secret <id> <webhook> --rotate`.
   */
  usage: string;
  /** One line of help. Left out where the line is in the help of formhost: for `list`, but not for `keys list`. */
  text?: string;
  /** More help: a note, then examples, which begin with `$ `. Left out: one example, made of the usage. */
  help?: readonly string[];
  /** Fields that are not written by their names: `<query>` for an argument, `--expires <time>` for an option. */
  as?: Readonly<Record<string, string>>;
  /** Lines of help about fields and parameters of the path. Left out: made of their meta(). */
  texts?: Readonly<Record<string, string>>;
  /** The fields that are options; left out: all that are no arguments. */
  fields?: readonly string[];
  /** Values of fields that it always sends. */
  sends?: Readonly<Record<string, boolean | string>>;
  /** The number of items that it asks a list for, unless `--limit` says another. Left out: it reads the list to the end. */
  limit?: number;
  /** True if `<id>` is a page in the trash. */
  isInTrash?: boolean;
  /** The question that it asks before it does anything, unless `--yes` is given; undefined: none. */
  asks?(typed: Typed): string | undefined;
  /** True if the exit code is 1 after this answer. */
  isFailure?(answer: Answer): boolean;
  /** The message for a person after the answer; null: none. */
  says?(answer: Answer, typed: Typed): string | null;
} & Printed<Answer>;

/** The text that is printed of an answer. Left out: the names and values of its fields. */
type Printed<Answer> = {
  /** One line, which a program needs of it. */
  prints?(answer: Answer, typed: Typed): string;
  /** A list: the headers on a terminal, and the rows. */
  table?: { columns: readonly string[]; rows(answer: Answer): readonly Row[] };
  /** Another form of text, which src/commands/owner has. */
  shows?: 'submission' | 'submissions' | 'chart' | 'html';
  /** The number of submissions in an answer, of which the message has the sum, and their outcome: `3 submissions found`. */
  counts?: { of(answer: Answer): number; outcome: string };
};

/** A command of any operation. */
export type AnyCommand = Command<unknown>;

/** The reason why operations without a key have no command, where they give no other. */
export const NEEDS_NO_KEY = 'Browsers, visitors and other programs call it without a key.';
