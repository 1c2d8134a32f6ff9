/** Messages that begin with the field that they are about. */
import type * as z from "zod/mini";

type FieldIssue = Pick<z.core.$ZodRawIssue, "path">;

/** `user.quota` for a nested field; empty for the value as a whole. */
export const readField = ({ path = [] }: FieldIssue): string => path.map(String).join(".");

export const formatFieldMessage = (issue: FieldIssue, predicate: string): string =>
  `${readField(issue) || "the request body"} ${predicate}`;

/**
 * The parameter of a check whose message begins with the field: `aboutField("must be a date")` on
 * `start` reads "start must be a date". A plain text as the parameter is a whole sentence, in the
 * words of the console's specification.
 */
export const makeAboutField = (predicate: string) => ({
  error: (issue: FieldIssue) => formatFieldMessage(issue, predicate),
});

/** `renameField` does the same message about a field that has another name where it is shown. */
export const renameField = (message: string, from: string, to: string): string =>
  message.startsWith(`${from} `) ? `${to}${message.slice(from.length)}` : message;
