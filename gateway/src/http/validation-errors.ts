/** Says in words what a schema did not like, naming the field. */
import type * as z from "zod/mini";
import { type Refusal, refuse } from "./refusal.ts";

type ValidationIssue = z.core.$ZodIssue;

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

/** Given to every parse: speaks where a schema does not. */
export function issueMessage(issue: z.core.$ZodRawIssue): string {
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
    default:
      return "has a value that is not allowed here";
  }
}

/** Where a specification fixes the words they are whole sentences and stand alone; the rest gets its field in front. */
const isSentence = (text: string) => /^[A-Z]/.test(text);

function describeIssue(issue: ValidationIssue): { field: string; sentence: string } {
  const field = issue.path.map(String).join(".");
  const { message } = issue;
  return { field, sentence: isSentence(message) ? message : `${field || "the request body"} ${message}` };
}

export function invalidRequest(error: z.core.$ZodError): Refusal {
  const described = error.issues.slice(0, 20).map(describeIssue);
  const fields = Object.fromEntries(described.map(({ field, sentence }) => [field, sentence]).reverse());
  return refuse("invalid_request", { message: described[0]?.sentence ?? "The request is malformed", fields });
}
