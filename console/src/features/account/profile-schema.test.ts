import { expect, test } from "vitest";
import { newPasswordSchema, profileSchema } from "./profile-schema.ts";

const valid = { username: "mira", display_name: "", email: "" };
const typed = { password: "long enough", password2: "long enough" };
const profile = profileSchema({ usernameMissing: "missing", usernameTooShort: "three" });
const password = newPasswordSchema({
  tooShort: "short",
  tooLong: "long",
  confirmation: "confirm",
  different: "different",
});

const complaints = ({ error }: ReturnType<typeof profile.safeParse | typeof password.safeParse>) =>
  (error?.issues ?? []).map((issue) => [issue.path.join("."), issue.message]);

test("a display name and a mail address need not be given", () => {
  expect(complaints(profile.safeParse(valid))).toEqual([]);
});

test.each([
  [{ username: "" }, "username", "missing"],
  [{ username: "ab" }, "username", "three"],
  [{ email: "nobody" }, "email", "Valid email is required"],
])("%j is refused", (form, path, message) => {
  expect(complaints(profile.safeParse({ ...valid, ...form }))[0]).toEqual([path, message]);
});

test.each([
  [{}, []],
  [{ password2: "long enougH" }, [["password2", "different"]]],
  [
    { password: "", password2: "" },
    [
      ["password", "short"],
      ["password2", "confirm"],
    ],
  ],
  [{ password: "x".repeat(129), password2: "x".repeat(129) }, [["password", "long"]]],
])("a new password %j is told what it lacks", (form, expected) => {
  expect(complaints(password.safeParse({ ...typed, ...form }))).toEqual(expected);
});
