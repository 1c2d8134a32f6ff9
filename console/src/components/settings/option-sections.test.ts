import { expect, test } from "vitest";
import { buildValues, listChanges, type OptionField } from "./option-sections.ts";

const label = { id: "label" };
const fields: OptionField[] = [
  { key: "GitHubOAuthEnabled", kind: "flag", label },
  { key: "GitHubClientId", kind: "line", label },
  { key: "GitHubClientSecret", kind: "secret", label },
  { key: "RetryTimes", kind: "number", label },
  { key: "QuotaPerUnit", kind: "fixed", label },
];
const saved = buildValues(
  fields,
  new Map([
    ["GitHubOAuthEnabled", "false"],
    ["GitHubClientId", ""],
    ["RetryTimes", "3"],
    ["QuotaPerUnit", "500000"],
  ]),
);

test("a flag is a boolean, a secret is empty, the rest is text", () => {
  expect(saved).toEqual({
    GitHubOAuthEnabled: false,
    GitHubClientId: "",
    GitHubClientSecret: "",
    RetryTimes: "3",
    QuotaPerUnit: "500000",
  });
});

test("only changed options are sent, as text", () => {
  expect(listChanges(fields, saved, saved)).toEqual([]);
  expect(listChanges(fields, { ...saved, RetryTimes: "0", QuotaPerUnit: "1" }, saved)).toEqual([
    { key: "RetryTimes", value: "0" },
  ]);
});

test("prerequisites are set before a flag turns on, and cleared after it turns off", () => {
  const on = { ...saved, GitHubOAuthEnabled: true, GitHubClientId: "id", GitHubClientSecret: "s" };
  const keys = (from: typeof saved, to: typeof saved) =>
    listChanges(fields, to, from).map(({ key }) => key);
  expect(keys(saved, on)).toEqual(["GitHubClientId", "GitHubClientSecret", "GitHubOAuthEnabled"]);
  expect(keys(on, { ...on, GitHubOAuthEnabled: false, GitHubClientId: "" })).toEqual([
    "GitHubOAuthEnabled",
    "GitHubClientId",
  ]);
});
