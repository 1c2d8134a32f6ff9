import type { Log } from "@tollgate/contract/figures/logs.ts";

/**
 * Completion tokens per second, from the provider's first byte to the end of the call. Undefined
 * where the call wrote nothing, or where no time passed in which a speed could be measured.
 */
export function findTokensPerSecond({
  completion_tokens,
  elapsed_time,
  ttft,
}: Pick<Log, "completion_tokens" | "elapsed_time" | "ttft">): number | undefined {
  const writingMs = elapsed_time - ttft;
  return completion_tokens > 0 && ttft > 0 && writingMs > 0
    ? (completion_tokens * 1_000) / writingMs
    : undefined;
}
