/**
 * Flags of `anthropic-beta` that a host of Claude refuses: each host knows others, and agents send
 * all that they have. Pure.
 */
import type { CallFormats } from "../formats/api-format.ts";
import type { PassedHeaders } from "../formats/call-parts.ts";
import { stripHeaders } from "./header-list.ts";
import { listBetas } from "./hosted-claude.ts";

/** `refusalWords` are Amazon's, and those of Anthropic and Google, which name the flags. */
const refusalWords =
  /^(?:.{0,40}\binvalid beta flag\b|Unexpected value\(s\) .{0,400}`anthropic-beta` header)/;

export const areBetasRefused = (status: number, message: string): boolean =>
  status === 400 && refusalWords.test(message);

/**
 * `stripRefusedBetas` gives the call without the flags that a refusal names, or without any where
 * it names none; undefined where the call has none of them.
 */
export function stripRefusedBetas<Call extends PassedHeaders & CallFormats>(
  call: Call,
  message: string,
): Call | undefined {
  const betas = listBetas(call.headers);
  const namesFlags = message.includes("`anthropic-beta`");
  const kept = namesFlags ? betas.filter((flag) => !message.includes(flag)) : [];
  if (kept.length === betas.length || call.upstream.endpoint !== "claude_messages")
    return undefined;
  const added = kept.length > 0 ? ["anthropic-beta", kept.join(",")] : [];
  return { ...call, headers: [...stripHeaders(call.headers, "anthropic-beta"), ...added] };
}
