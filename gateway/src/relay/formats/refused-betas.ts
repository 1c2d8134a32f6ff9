/**
 * Flags of `anthropic-beta` that a host of Claude refuses: each host knows others, and agents send
 * all that they have. Pure.
 */
import type { CallFormats } from "./api-format.ts";
import type { PassedHeaders } from "./call-parts.ts";

/** Amazon's words, and those of Anthropic and Google, which name the flags. */
const refusalWords =
  /^(?:.{0,40}\binvalid beta flag\b|Unexpected value\(s\) .{0,400}`anthropic-beta` header)/;

export const areBetasRefused = (status: number, message: string): boolean =>
  status === 400 && refusalWords.test(message);

/** The call without the flags that a refusal names, or without any; undefined where it has none. */
export function stripRefusedBetas<Call extends PassedHeaders & CallFormats>(
  call: Call,
  message: string,
): Call | undefined {
  const at = call.headers.findIndex(
    (name, index) => index % 2 === 0 && name.toLowerCase() === "anthropic-beta",
  );
  if (at < 0 || call.upstream.endpoint !== "claude_messages") return undefined;
  const flags = (call.headers[at + 1] ?? "").split(",").map((flag) => flag.trim());
  const kept = flags.filter(
    (flag) => message.includes("`anthropic-beta`") && !message.includes(flag),
  );
  const headers = call.headers.toSpliced(
    at,
    2,
    ...(kept.length > 0 ? ["anthropic-beta", kept.join(",")] : []),
  );
  return kept.length === flags.length ? undefined : { ...call, headers };
}
