import { expect, test } from "vitest";
import { newPasswordSchema, profileSchema } from "./profile-schema.ts";

const words = {
  tooShort: "short",
  tooLong: "long",
  confirmation: "confirm",
  different: "different",
  usernameMissing: "missing",
  usernameTooShort: "three",
};
const valid = { username: "mira", display_name: "", email: "", password: "", password2: "" };

const complaints = (form: object) =>
  (profileSchema(words).safeParse({ ...valid, ...form }).error?.issues ?? []).map((issue) => [
    issue.path.join("."),
    issue.message,
  ]);

test("an empty password keeps the one that is set", () => {
  expect(complaints({})).toEqual([]);
});

test.each([
  [{ username: "" }, "username", "missing"],
  [{ username: "ab" }, "username", "three"],
  [{ email: "nobody" }, "email", "Valid email is required"],
  [{ password: "1234567", password2: "1234567" }, "password", "short"],
  [{ password: "x".repeat(129), password2: "x".repeat(129) }, "password", "long"],
  [{ password: "long enough", password2: "" }, "password2", "different"],
])("%j is refused", (form, path, message) => {
  expect(complaints(form)[0]).toEqual([path, message]);
});

test("a forced change wants a password and its confirmation", () => {
  const schema = newPasswordSchema(words);
  expect(schema.safeParse({ password: "12345678", password2: "12345678" }).success).toBe(true);
  const issues = schema.safeParse({ password: "", password2: "" }).error?.issues ?? [];
  expect(issues.map((issue) => issue.message)).toEqual(["short", "confirm"]);
});
