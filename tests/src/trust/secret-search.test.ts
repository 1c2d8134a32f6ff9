import { expect, test } from "vitest";
import { findSecrets } from "./secret-search.ts";

const canary = { name: "one", text: "canary-4711-of-the-search-itself" };

test.each([
  ["as it is", canary.text],
  ["in the middle of a line", `key=${canary.text}, status=401`],
  ["in part", `…${canary.text.slice(9, 22)}…`],
  ["as base64", Buffer.from(`xy${canary.text}z`).toString("base64")],
  ["as base64, one further", Buffer.from(`wxy${canary.text}z`).toString("base64url")],
  ["as hexadecimal digits", Buffer.from(canary.text).toString("hex")],
])("a secret is found %s", (_, text) =>
  expect(findSecrets([canary], `before ${text} after`)).toEqual(["one"]),
);

test.each([
  ["nothing of it", "canary"],
  ["its last four characters", canary.text.slice(-4)],
])("%s is not a find", (_, text) => expect(findSecrets([canary], text)).toEqual([]));
