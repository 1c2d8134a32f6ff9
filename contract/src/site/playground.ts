/** The key that the console uses under `/v1` for the signed-in user. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { unixMillis } from "../api/scalars.ts";

export const newPlaygroundToken = endpoint("POST", "/api/user/playground_token", {
  access: "user",
  scope: "none",
  inReadOnly: true,
  summary:
    "A short-lived key for /v1 with a small quota; it ends with the session and no token list shows it",
  data: z.object({ token: z.string(), expires_at: unixMillis, quota: z.int() }),
});
