import { expect, test } from "vitest";
import { listOfferedProviders } from "./oauth-compat.ts";

test("the server's list says which providers sign in, whatever its other members say", () => {
  expect(listOfferedProviders({ external_providers: ["telegram", "github"] })).toEqual([
    "github",
    "telegram",
  ]);
  expect(
    listOfferedProviders({ external_providers: [], github_client_id: "id", lark_client_id: "id" }),
  ).toEqual([]);
});

test("providers that this build does not know are left out", () => {
  const sent = { external_providers: ["myspace", "discord"] };
  expect(listOfferedProviders(JSON.parse(JSON.stringify(sent)))).toEqual(["discord"]);
});

test("a server without a list offers GitHub and Lark by their client ids", () => {
  expect(listOfferedProviders({})).toEqual([]);
  expect(listOfferedProviders({ github_client_id: "id", lark_client_id: "" })).toEqual(["github"]);
  expect(listOfferedProviders({ github_client_id: "id", lark_client_id: "id" })).toEqual([
    "github",
    "lark",
  ]);
});
