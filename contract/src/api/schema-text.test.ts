import { expect, test } from "vitest";
import * as z from "zod/mini";
import { rotateToken } from "../accounts/key-rotation.ts";
import { type DocumentSchema, formatSchemaText } from "./schema-text.ts";

test("shows members, bounds, choices and lists", () => {
  const schema = z.object({
    name: z.string().check(z.minLength(1), z.maxLength(30)),
    count: z._default(z.int().check(z.minimum(0), z.maximum(9)), 1),
    window: z.enum(["day", "week"]),
    tags: z.array(z.union([z.string(), z.null()])),
    more: z.optional(z.object({ deep: z.boolean() })),
    prices: z.record(z.string(), z.number()),
  });
  expect(formatSchemaText(z.toJSONSchema(schema, { io: "input" }) as DocumentSchema)).toBe(`{
  name: string // 1 to 30 characters
  count?: integer // 0 to 9, by default 1
  window: "day" | "week"
  tags: (string | null)[]
  more?: {
    deep: boolean
  }
  prices: { [name]: number }
}`);
});

test("shows the body of an operation as the reference does", () => {
  const text = formatSchemaText(
    z.toJSONSchema(rotateToken.body, { io: "input", unrepresentable: "any" }) as DocumentSchema,
  );
  expect(text).toContain("overlap_seconds: integer // 0 to 604800");
});

test("ends in a document that nests without end", () => {
  const nested = Array.from({ length: 50 }).reduce<DocumentSchema>(
    (items) => ({ type: "array", items }),
    {
      type: "string",
    },
  );
  expect(formatSchemaText(nested)).toContain("…");
  expect(formatSchemaText({})).toBe("any");
});
