/** What operators are told, and users of what is theirs: something that the gateway did or met on its own, or that a provider did. */
export type RootNotice =
  | { kind: "channel_disabled"; channel: string; reason: string }
  | { kind: "channel_enabled"; channel: string }
  /** `hint` is the end of the key. */
  | { kind: "channel_key_disabled"; channel: string; place: number; hint: string; reason: string }
  /** `calls`: how many calls of this channel within a day cost more than was covered. */
  | { kind: "call_not_covered"; channel: string; calls: number }
  | { kind: "usage_capped"; channel: string }
  /** An administrator wants to issue more than the daily limit allows; `amount` is a text. */
  | { kind: "quota_waits"; administrator: string; amount: string }
  /** `dollars` is a text. */
  | { kind: "channel_balance_low"; channel: string; dollars: string }
  | { kind: "model_unserved"; model: string }
  | { kind: "calls_failing"; model: string; calls: number; failed: number }
  /** `spent` and `amount` are texts. */
  | { kind: "budget_reached"; budget: string; percent: number; spent: string; amount: string }
  /** `job` is a name of background-jobs.ts. */
  | { kind: "job_failing"; job: string }
  | { kind: "notices_failing"; destination: string; answer: string }
  /** `left` and `threshold` are texts. */
  | { kind: "wallet_low"; username: string; left: string; threshold: string }
  /** `until` is a text. */
  | { kind: "key_expiring"; key: string; until: string }
  | { kind: "key_expired"; key: string };
