/** Differences of compatible servers in signing in. */
import { ApiError } from "../api-error.ts";

/** Compatible servers signal it in the data or in the message, each in a different form. */
export function requiresTotp(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const flag = (error.data as { totp_required?: unknown } | null | undefined)?.totp_required;
  return (
    flag === true || flag === "true" || flag === 1 || error.message.toLowerCase().includes("totp")
  );
}

/** The default root account of compatible servers. */
export const defaultCredentials = { username: "root", password: "123456" };
