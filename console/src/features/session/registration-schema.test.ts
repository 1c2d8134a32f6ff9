import { expect, test } from "vitest";
import {
  defineEmailSchema,
  defineRegistrationSchema,
  looksLikeEmail,
} from "./registration-schema.ts";

const words = {
  tooShort: "short",
  tooLong: "long",
  confirmation: "confirm",
  different: "different",
  username: "three",
  email: "address",
  code: "code",
};
const valid = {
  username: "mira",
  password: "long enough",
  password2: "long enough",
  email: "mira@example.org",
  verification_code: "123456",
  invitation_code: "",
};
const complaints = (form: object, needsCode = true) =>
  (
    defineRegistrationSchema(words, needsCode).safeParse({ ...valid, ...form }).error?.issues ?? []
  ).map(({ path, message }) => [path.join("."), message]);

test("the invitation code is optional, and so is the verification code when addresses are not verified", () => {
  expect(complaints({})).toEqual([]);
  expect(complaints({ verification_code: "" }, false)).toEqual([]);
});

test.each([
  [{ username: "ab" }, "username", "three"],
  [{ username: " a " }, "username", "three"],
  [{ password: "1234567", password2: "12345678" }, "password", "short"],
  [{ password: "x".repeat(129), password2: "x".repeat(129) }, "password", "long"],
  [{ password2: "short" }, "password2", "confirm"],
  [{ password2: "long enouGh" }, "password2", "different"],
  [{ email: "" }, "email", "address"],
  [{ email: "mira@" }, "email", "address"],
  [{ verification_code: " " }, "verification_code", "code"],
])("%j is refused", (form, path, message) => {
  expect(complaints(form)[0]).toEqual([path, message]);
});

test("a mail address is trimmed", () => {
  expect(defineEmailSchema("address").parse({ email: " mira@example.org " })).toEqual({
    email: "mira@example.org",
  });
});

test("a code can be requested once the text looks like an address", () => {
  for (const typed of ["", "mira", "mira@", "mira@example", "@example.org", "mi ra@example.org"])
    expect(looksLikeEmail(typed), typed).toBe(false);
  expect(looksLikeEmail(" mira@example.org")).toBe(true);
});
