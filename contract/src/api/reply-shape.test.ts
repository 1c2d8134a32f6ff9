import { expect, test } from "vitest";
import * as z from "zod/mini";
import { replyShape } from "./reply-shape.ts";

test("a text that follows a pattern is a text, alone and beside fixed words", () => {
  const pattern = z.templateLiteral(["oidc:", z.string()]);
  expect(replyShape(pattern)).toBe("text");
  expect(replyShape(z.union([z.enum(["github", "lark"]), pattern]))).toBe("text");
});
