/**
 * Cookies that carry a secret: the id of a session, the secret that ties an OAuth flow to the
 * browser that started it, and the one by which an account recognises a browser.
 */
import { createHash, randomBytes } from "node:crypto";
import { readBasePath } from "../../../http/base-path.ts";
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
/** Half a year after the last sign-in an account no longer recognises a browser. */
export const deviceLifetimeMs = 180 * 24 * 3_600_000;

export const defineSessionCookie = (publicUrl: string | undefined): SessionCookie =>
  defineSecretCookie("session", sessionLifetimeMs, publicUrl);
export const defineDeviceCookie = (publicUrl: string | undefined): SecretCookie =>
  defineSecretCookie("device", deviceLifetimeMs, publicUrl);
export const defineBrowserCookie = (publicUrl: string | undefined): SecretCookie =>
  defineSecretCookie("sign-in", browserCookieMs, publicUrl);

/**
 * Over https the prefix of the name makes browsers insist on Secure, on the whole host and on no
 * other host. It forbids a path, so that a console below one has a name of its own: the cookies of
 * another program of the host stay apart (docs/decisions/0190).
 */
function defineSecretCookie(
  plainName: string,
  lastsMs: number,
  publicUrl: string | undefined,
): SecretCookie {
  const secure = publicUrl?.startsWith("https:") ?? false;
  const basePath = readBasePath(URL.parse(publicUrl ?? "") ?? undefined);
  const ownName = basePath === "" ? plainName : `${plainName}-${composePathMark(basePath)}`;
  const name = secure ? `__Host-${ownName}` : ownName;
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

/** Eight letters and digits tell the paths of one host apart. */
const composePathMark = (basePath: string): string => hashSecret(basePath).slice(0, 8);

export const composeSessionId = () => randomBytes(32).toString("base64url");
/** The whole secret is hashed: a look-up by a part of it would accept similar secrets. */
export const hashSecret = (secret: string) => createHash("sha256").update(secret).digest("hex");

/**
 * `hashParts` is about several texts that others choose. Joined by any separator, two lists of them
 * could have one hash.
 */
export const hashParts = (...parts: readonly string[]) => hashSecret(JSON.stringify(parts));
