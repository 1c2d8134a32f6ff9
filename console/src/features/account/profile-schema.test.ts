import { expect, test } from "vitest";
import { defineProfileSchema } from "./profile-schema.ts";

const valid = { username: "mira", display_name: "", email: "", verification_code: "" };
const profile = defineProfileSchema({ usernameMissing: "missing", usernameTooShort: "three" });

const complaints = ({ error }: ReturnType<typeof profile.safeParse>) =>
  (error?.issues ?? []).map((issue) => [issue.path.join("."), issue.message]);

test("display name and mail address are optional", () => {
  expect(complaints(profile.safeParse(valid))).toEqual([]);
});

test.each([
  [{ username: "" }, "username", "missing"],
  [{ username: "ab" }, "username", "three"],
  [{ email: "nobody" }, "email", "Valid email is required"],
])("%j is refused", (form, path, message) => {
  expect(complaints(profile.safeParse({ ...valid, ...form }))[0]).toEqual([path, message]);
});
