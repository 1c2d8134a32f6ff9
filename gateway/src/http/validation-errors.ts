/** Words the issues of a parse and turns them into a refusal. */
import { formatFieldMessage, readField } from "@tollgate/contract/api/field-message.ts";
import * as z from "zod/mini";
import { type Refusal, refuse } from "./refusal.ts";

const issuesMax = 20;

const list = (values: readonly unknown[]) => values.map((value) => String(value)).join(", ");
const nouns: Record<string, string> = {
  string: "text",
  int: "an integer",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};
const noun = (expected: string) => nouns[expected] ?? expected;

/** The message of an issue for which the schema has none. */
export const issueMessage = (issue: z.core.$ZodRawIssue): string =>
  formatFieldMessage(issue, readPredicate(issue));

function readPredicate(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? `is required and must be ${noun(issue.expected)}`
        : `must be ${noun(issue.expected)}`;
    case "too_small":
      return issue.origin === "string"
        ? `must have at least ${issue.minimum} characters`
        : `must be at least ${issue.minimum}`;
    case "too_big":
      return issue.origin === "string"
        ? `must have at most ${issue.maximum} characters`
        : `must be at most ${issue.maximum}`;
    case "invalid_value":
      return `must be one of ${list(issue.values)}`;
    case "unrecognized_keys":
      return `must not have ${list(issue.keys)}`;
    default:
      return "has a value that is not allowed here";
  }
}

/** The value as the schema reads it; refuses one that does not fit. */
export function parseOrRefuse<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const parsed = z.safeParse(schema, value, { error: issueMessage });
  if (!parsed.success) throw refuseInvalidRequest(parsed.error);
  return parsed.data;
}

/** The first issue is the message; each field is named with the first of its issues. */
export function refuseInvalidRequest({ issues }: z.core.$ZodError): Refusal {
  const messages = issues
    .slice(0, issuesMax)
    .map((issue) => [readField(issue), issue.message] as const);
  const fields = Object.fromEntries(messages.toReversed());
  return refuse("invalid_request", {
    message: messages[0]?.[1] ?? "The request is malformed",
    fields,
  });
}
