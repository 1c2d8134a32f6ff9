/**
 * Notices to operators, and to users about their own things: of something that the gateway did or
 * met on its own, or that a provider did.
 */
export type RootNotice =
  | { kind: "channel_disabled"; channel: string; reason: string }
  | { kind: "channel_enabled"; channel: string }
  /** `reason` is that of its breaker, such as `status 503`. */
  | { kind: "channel_suspended"; channel: string; model: string; reason: string; minutes: number }
  /** `hint` is the end of the key. */
  | { kind: "channel_key_disabled"; channel: string; place: number; hint: string; reason: string }
  /** `calls`: how many calls of this channel within a day cost more than was covered. */
  | { kind: "call_not_covered"; channel: string; calls: number }
  | { kind: "usage_capped"; channel: string }
  /** An administrator wants to issue more than the daily limit allows; `amount` is a text. */
  | { kind: "quota_waits"; administrator: string; amount: string }
  /** A user asks for more of a budget; `amount` is a text. */
  | { kind: "budget_asked"; username: string; budget: string; amount: string }
  | { kind: "team_without_admin"; team: string }
  /** `dollars` is a text. */
  | { kind: "channel_balance_low"; channel: string; dollars: string }
  | { kind: "model_unserved"; model: string }
  | { kind: "calls_failing"; model: string; calls: number; failed: number }
  /** The medians of now and of the same hours of the last seven days. */
  | { kind: "calls_slow"; model: string; medianMs: number; usualMs: number }
  /** `spent` and `usual` are texts; `isPaused` where the alert paused the key. */
  | {
      kind: "spend_spiking";
      key: string;
      username: string;
      spent: string;
      usual: string;
      isPaused?: true;
    }
  | { kind: "price_missing"; model: string }
  /** The bill of a provider, and the costs of the same days by our prices; both are texts. */
  | { kind: "price_mismatch"; channel: string; ours: string; theirs: string }
  /** `endsOn` is a day such as `2026-12-11`; calls and users of the last 14 days. */
  | {
      kind: "model_retiring";
      model: string;
      endsOn: string;
      calls: number;
      users: number;
      replacement?: string;
    }
  | {
      kind: "own_model_retiring";
      model: string;
      endsOn: string;
      calls: number;
      replacement?: string;
    }
  /**
   * `models`: how many have a price that moves much; `model` is one of them, `list` where the list
   * comes from.
   */
  | { kind: "prices_changed"; models: number; model: string; list: string }
  /** `first` is the first of them, as the command `audit` prints it. */
  | { kind: "ledger_drifts"; findings: number; first: string }
  /** `fault` is a sentence of storage/audit-chain.ts. */
  | { kind: "trail_broken"; fault: string }
  /** `gigabytes` is a text. */
  | { kind: "disk_low"; gigabytes: string; percent: number }
  /** `last` is a moment as text, or empty where no backup is known. */
  | { kind: "backup_old"; last: string; hours: number }
  /** The minutes by which the newest entries are ahead of the clock. */
  | { kind: "clock_behind"; minutes: number }
  /** The minutes for which the database took nothing; it works again. */
  | { kind: "database_refused"; minutes: number; message: string }
  /** `network` is the first address of it. */
  | { kind: "root_signed_in"; username: string; network: string }
  /** `locks`: at least as many within an hour. */
  | { kind: "sign_ins_locked"; locks: number }
  /** `spent` and `amount` are texts. */
  | { kind: "budget_reached"; budget: string; percent: number; spent: string; amount: string }
  /** `job` is a name of background-jobs.ts. */
  | { kind: "job_failing"; job: string }
  | { kind: "notices_failing"; destination: string; answer: string }
  /** `left` and `threshold` are texts. */
  | { kind: "wallet_low"; username: string; left: string; threshold: string }
  /** `until` is a text. */
  | { kind: "key_expiring"; key: string; until: string }
  | { kind: "key_expired"; key: string }
  | { kind: "management_key_expiring"; key: string; until: string }
  | { kind: "management_key_expired"; key: string };
