/** Cookies that carry a secret: a session's id, and what ties a sign-in at a provider to the browser that began it. */
import { createHash, randomBytes } from "node:crypto";
import { sessionLifetimeMs } from "./session-store.ts";

export interface SecretCookie {
  read(headers: Headers): string | undefined;
  set(id: string): string;
  clear(): string;
}

export type SessionCookie = SecretCookie;

const idPattern = /^[A-Za-z0-9_-]{43}$/;
/** Longer than a state lives and can be repeated. */
const browserCookieMs = 20 * 60_000;

export const sessionCookie = (publicUrl: string | undefined): SessionCookie =>
  secretCookie("session", sessionLifetimeMs, publicUrl);
export const browserCookie = (publicUrl: string | undefined): SecretCookie =>
  secretCookie("sign-in", browserCookieMs, publicUrl);

/** Over https the name's prefix makes browsers insist on Secure, on the whole host and on no other host. */
function secretCookie(plainName: string, lastsMs: number, publicUrl: string | undefined): SecretCookie {
  const secure = publicUrl?.startsWith("https:") ?? false;
  const name = secure ? `__Host-${plainName}` : plainName;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  return {
    read(headers) {
      for (const pair of (headers.get("cookie") ?? "").split(";")) {
        const at = pair.indexOf("=");
        const value = pair.slice(at + 1).trim();
        if (pair.slice(0, at).trim() === name && idPattern.test(value)) return value;
      }
    },
    set: (id) => `${name}=${id}; Max-Age=${lastsMs / 1000}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}

export const newSessionId = () => randomBytes(32).toString("base64url");
/** In full: a look-up by a part of a secret would let similar secrets in. */
export const hashSecret = (secret: string) => createHash("sha256").update(secret).digest("hex");
