import { expect, test } from "vitest";
import { offeredProviders } from "./oauth-compat.ts";

test("the server's list says which providers sign in, whatever its other members say", () => {
  expect(offeredProviders({ external_providers: ["telegram", "github"] })).toEqual(["github", "telegram"]);
  expect(offeredProviders({ external_providers: [], github_client_id: "id", lark_client_id: "id" })).toEqual([]);
});

test("providers that this build does not know are left out", () => {
  const sent = { external_providers: ["myspace", "discord"] };
  expect(offeredProviders(JSON.parse(JSON.stringify(sent)))).toEqual(["discord"]);
});

test("a server without a list offers GitHub and Lark by their client ids", () => {
  expect(offeredProviders({})).toEqual([]);
  expect(offeredProviders({ github_client_id: "id", lark_client_id: "" })).toEqual(["github"]);
  expect(offeredProviders({ github_client_id: "id", lark_client_id: "id" })).toEqual(["github", "lark"]);
});
