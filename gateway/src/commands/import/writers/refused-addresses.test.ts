import { expect, test } from "vitest";
import { listRefusedAddresses } from "./refused-addresses.ts";

const named = { entity: "channel", sourceId: "7", name: "local" } as const;
const none = { upstream: new Set<string>(), proxy: new Set<string>() };
const channel = {
  input: { base_url: "http://127.0.0.1:8000" },
  proxy: "http://user:secret@127.0.0.1:7890",
};

test("private addresses of a channel are named with what allows them, and without a password", () => {
  expect(listRefusedAddresses(named, channel, none)).toEqual([
    {
      ...named,
      field: "base_url",
      reason: "address_refused",
      value:
        "127.0.0.1:8000 is a private address; to allow it, add 127.0.0.1:8000 to UPSTREAM_PRIVATE_HOSTS",
    },
    {
      ...named,
      field: "proxy",
      reason: "address_refused",
      value:
        "127.0.0.1:7890 is at a private address; to allow it, add 127.0.0.1:7890 to PROXY_PRIVATE_HOSTS",
    },
  ]);
});

test("what this gateway's settings allow is no loss", () => {
  const hosts = { upstream: new Set(["127.0.0.1:8000"]), proxy: new Set(["127.0.0.1:7890"]) };
  expect(listRefusedAddresses(named, channel, hosts)).toEqual([]);
  expect(listRefusedAddresses(named, { input: { base_url: "" } }, none)).toEqual([]);
  expect(
    listRefusedAddresses(named, { input: { base_url: "https://api.openai.com" } }, none),
  ).toEqual([]);
});
