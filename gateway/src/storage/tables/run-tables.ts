/** Rows of agents' runs, which their calls' log rows add up to. */
import type { Millis, QuotaUnits } from "./column-types.ts";

export interface RunRow {
  /** `hashRun` (relay/runs/call-runs.ts). */
  run: string;
  user_id: number;
  /** The team that pays for its calls; 0 where the account does. */
  team_id: number;
  /** The API key of its first call. */
  token_id: number;
  /** The agent's name; empty for an unknown one. */
  agent: string;
  first_call_at: Millis;
  last_call_at: Millis;
  /** Until its owner continues it, its calls are refused; null for a run that goes on. */
  stopped_at: Millis | null;
  calls: number;
  failures: number;
  /** Calls that needed another attempt. */
  retries: number;
  quota: QuotaUnits;
  prompt_tokens: number;
  cached_prompt_tokens: number;
  cache_write_tokens: number;
  completion_tokens: number;
  /** Until the first content of each answer. */
  waiting_ms: number;
  elapsed_ms: number;
}

/** `RunPartRow` is what one model or tool of a run comes to; a tool costs nothing by itself. */
export interface RunPartRow {
  run: string;
  kind: "model" | "tool";
  name: string;
  calls: number;
  failures: number;
  quota: QuotaUnits;
  prompt_tokens: number;
  completion_tokens: number;
}
