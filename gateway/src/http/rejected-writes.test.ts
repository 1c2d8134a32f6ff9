import { expect, test } from "vitest";
import type { Write } from "../storage/database.ts";
import { Conflict, StaleWrite } from "../storage/database.ts";
import { buildRefusal } from "./rejected-writes.ts";

const statement: Write = {
  query: { compile: () => ({ sql: "", parameters: [] }) as never },
  missed: "token_not_found",
  conflict: { users_username: "username_taken" },
};

test("a rejected write becomes the refusal of its statement, with the field where the code has one", () => {
  expect(buildRefusal(new StaleWrite(0, statement))).toMatchObject({
    code: "token_not_found",
    details: {},
  });
  expect(buildRefusal(new Conflict("users_username", statement))).toMatchObject({
    code: "username_taken",
    details: { fields: { username: expect.any(String) } },
  });
});

test("any other error, and a rejection without a code, is returned unchanged", () => {
  for (const error of [new Error("bug"), new StaleWrite(0), new Conflict("users_uuid", statement)])
    expect(buildRefusal(error)).toBe(error);
});
