/** Parses a body by the schema of its shape. */
import * as z from "zod/mini";
import { badRequest } from "../wire/relay-refusal.ts";

/** Throws `Refused` that names the first member which is wrong. */
export function parseBody<Schema extends z.ZodMiniType>(schema: Schema, json: unknown, code: string): z.output<Schema> {
  const parsed = z.safeParse(schema, json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join(".") ?? "";
  throw badRequest(code, `${path || "body"}: ${issue?.message ?? "is not valid"}`, path);
}
