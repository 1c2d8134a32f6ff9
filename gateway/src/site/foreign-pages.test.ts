import { isConsolePath } from "@tollgate/contract/site/console-paths.ts";
import { expect, test } from "vitest";
import { findOwnPage } from "./foreign-pages.ts";

test.each([
  ["/token", "/tokens"],
  ["/channel/edit/7", "/channels"],
  ["/user", "/users"],
  ["/console", "/dashboard"],
  ["/console/token", "/tokens"],
  ["/panel/log", "/logs"],
  ["/usage-logs/common", "/logs"],
  ["/keys", "/tokens"],
  ["/wallet", "/topup"],
  ["/ui/?page=api-keys", "/"],
])("%s of another console is %s here", (path, expected) => {
  const here = findOwnPage(path);
  expect(here).toBe(expected);
  expect(isConsolePath(here ?? "nowhere")).toBe(true);
});

test.each([
  "/",
  "/tokens",
  "/user/reset",
  "/uikit",
  "/console/nothing",
  "/tokenize",
  "/console/__proto__",
  "/v1/models",
])("%s stays what it is", (path) => expect(findOwnPage(path)).toBeUndefined());
