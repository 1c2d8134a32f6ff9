import { expect, test } from "vitest";
import { composeSiteAddress, readBasePath, stripBasePath } from "./base-path.ts";

test.each([
  [undefined, "", undefined],
  ["https://ai.example", "", "https://ai.example"],
  ["https://ai.example/", "", "https://ai.example"],
  ["https://example.com/gate", "/gate", "https://example.com/gate"],
  ["https://example.com:8443/tools/gate/", "/tools/gate", "https://example.com:8443/tools/gate"],
])("the site of PUBLIC_URL=%s has the base path %j and the address %s", (text, path, address) => {
  const url = text === undefined ? undefined : new URL(text);
  expect([readBasePath(url), composeSiteAddress(url)]).toEqual([path, address]);
});

test.each([
  ["/gate/v1/models?limit=2", "/v1/models?limit=2"],
  ["/gate", "/"],
  ["/gate?p=1", "/?p=1"],
  ["/gate/", "/"],
  ["/gate//evil.example", "//evil.example"],
  ["/gate/gate/tokens", "/gate/tokens"],
  // A proxy that takes the path off.
  ["/v1/models", "/v1/models"],
  ["/", "/"],
  // Other paths that begin with the same letters.
  ["/gateway/v1", "/gateway/v1"],
  ["/.well-known/oauth-authorization-server/gate", "/.well-known/oauth-authorization-server"],
  ["/.well-known/oauth-authorization-server/gate/x", undefined],
  ["/.well-known/oauth-authorization-server", undefined],
  ["*", undefined],
])("below /gate, the target %s is read as %s", (target, read) => {
  expect(stripBasePath(target, "/gate")).toBe(read ?? target);
  expect(stripBasePath(target, "")).toBe(target);
});
