/** The cookie that carries a session's id. */
import { createHash, randomBytes } from "node:crypto";
import { absoluteMs } from "./session-store.ts";

export interface SessionCookie {
  read(headers: Headers): string | undefined;
  set(id: string): string;
  clear(): string;
}

const idPattern = /^[A-Za-z0-9_-]{43}$/;

/** Over https the name's prefix makes browsers insist on Secure, on the whole host and on no other host. */
export function sessionCookie(publicUrl: string | undefined): SessionCookie {
  const secure = publicUrl?.startsWith("https:") ?? false;
  const name = secure ? "__Host-session" : "session";
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  return {
    read(headers) {
      for (const pair of (headers.get("cookie") ?? "").split(";")) {
        const at = pair.indexOf("=");
        const value = pair.slice(at + 1).trim();
        if (pair.slice(0, at).trim() === name && idPattern.test(value)) return value;
      }
    },
    set: (id) => `${name}=${id}; Max-Age=${absoluteMs / 1000}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}

export const newSessionId = () => randomBytes(32).toString("base64url");
/** In full: a look-up by a part of a secret would let similar secrets in. */
export const hashOf = (secret: string) => createHash("sha256").update(secret).digest("hex");
