import { expect, test } from "vitest";
import { endsSession } from "./session-end.ts";

const ok = { success: true, message: "" };
const refused = (message: string) => ({ success: false, message });

test.each([
  ["/api/token/", 401, refused(""), true],
  ["/api/token/", 403, refused(""), true],
  ["/api/token/", 200, ok, false],
  ["/api/token/", 500, refused("broken"), false],
  ["/api/token/", 200, refused("your access token is invalid"), true],
  ["/api/token/", 200, refused("you are not logged in"), true],
  ["/api/token/", 200, refused("No permission to perform this operation"), true],
  ["/api/token/", 200, refused("Token name is required"), false],
  // The model list is public, also with an expired session.
  ["/api/models/display", 200, refused("not logged in"), false],
  // On the relay these statuses concern the API key, not the session.
  ["/v1/chat/completions", 401, refused("not logged in"), false],
  ["/v1/models", 403, refused(""), false],
])("%s with %i %j ends the session: %s", (path, status, envelope, ends) => {
  expect(endsSession(path, status, envelope)).toBe(ends);
});
