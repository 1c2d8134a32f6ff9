import { expect, test } from "vitest";
import { definePasswordSchema } from "./new-password-schema.ts";

const typed = { password: "long enough", password2: "long enough" };
const schema = definePasswordSchema({
  tooShort: "short",
  tooLong: "long",
  confirmation: "confirm",
  different: "different",
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
])("a new password %j gets the message for what it lacks", (form, expected) => {
  const { error } = schema.safeParse({ ...typed, ...form });
  expect((error?.issues ?? []).map(({ path, message }) => [path.join("."), message])).toEqual(
    expected,
  );
});
