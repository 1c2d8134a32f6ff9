/** Parses a body by the schema of its shape. */
import * as z from "zod/mini";
import { badRequest } from "../relay-refusal.ts";

/** Throws `Refused` that names the first member which is wrong. */
export function readAsked<Schema extends z.ZodMiniType>(schema: Schema, json: unknown, code: string): z.output<Schema> {
  const parsed = z.safeParse(schema, json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") ?? "";
  throw badRequest(code, `${where || "body"}: ${issue?.message ?? "is not valid"}`, where);
}
