/** Rows that calls leave: the log, its sums, and what of a provider's answer is kept. */
import type { Flag, Millis, QuotaUnits } from "./column-types.ts";

/**
 * `id` encodes the time of the request (storage/time-ids.ts), so it orders and ranges by time
 * without another column.
 */
export interface LogRow {
  id: number;
  /** `type` is one of `logTypes` (contract/src/figures/logs.ts). */
  type: number;
  user_id: number;
  username: string;
  token_id: number;
  token_name: string;
  channel_id: number;
  channel_name: string;
  /** The model after mapping, which was priced. */
  model_name: string;
  /** The model that the client requested. */
  origin_model_name: string;
  quota: QuotaUnits;
  prompt_tokens: number;
  completion_tokens: number;
  cached_prompt_tokens: number;
  cache_write_5m_tokens: number;
  cache_write_1h_tokens: number;
  elapsed_ms: number;
  /** Milliseconds until the first byte from the upstream, 0 for none. */
  ttft_ms: number;
  is_stream: Flag;
  /**
   * `outcome` says how the call ended: `success`, `failed`, `client_left`, `cut`, `quota_ran_out`,
   * `interrupted`. Empty for other types, and for a call that another system charged before an
   * import: that one is in no ledger entry of its own.
   */
  outcome: string;
  content: string;
  /**
   * The `FrozenPrice` (money/prices/price.ts) that was charged, as JSON; `explainLog` shows it line
   * by line. Null when nothing was priced.
   */
  price: string | null;
  /**
   * `UsageDetails` (relay/formats/usage-details.ts) as JSON; null where no provider reported
   * anything.
   */
  usage_details: string | null;
  /**
   * Attempts after the first, on another channel or with another key; null for other types and in
   * older rows.
   */
  retries: number | null;
  /** `LoggedTags` as JSON; null for a call without tags, and for other types. */
  tags: string | null;
  /**
   * Nanodollars that the operator pays the provider, by the buying price that was frozen with the
   * call; null where there was none.
   */
  cost_nanos: number | null;
  /**
   * Units that reading from the prompt cache has saved, less what writing to it cost, where the
   * gateway set the marks; null where it set none.
   */
  marks_saved: number | null;
  /** The team that paid; null where the wallet of the account did. */
  team_id: number | null;
  /**
   * The run of an agent that the call belongs to (`RunRow`); null for a call that named none, and
   * for other types.
   */
  run: string | null;
  /** `RunFacts` (relay/runs/call-runs.ts) as JSON; null without a run. */
  run_facts: string | null;
  /**
   * `event` is a `LogEvent` as JSON; rows of calls leave it out, for a call writes no column that
   * is always empty.
   */
  event?: string | null | undefined;
}

/** The tags of a call, each in one member only. */
export interface LoggedTags {
  /**
   * `counted` is what the roll-up counts: at most five keys; a value above the month's bound is
   * `(other)` here, and by name in `others`.
   */
  counted?: Readonly<Record<string, string>>;
  others?: Readonly<Record<string, string>>;
}

/** `TagRollupRow` is what calls with a tag add up to, by UTC day (days since 1970). */
export interface TagRollupRow {
  day: number;
  tag_key: string;
  tag_value: string;
  requests: number;
  failures: number;
  quota: QuotaUnits;
  prompt_tokens: number;
  cached_prompt_tokens: number;
  completion_tokens: number;
}

/**
 * `TeamRollupRow` is what the calls of a team add up to, by UTC day (days since 1970), account (0
 * for services) and priced model.
 */
export interface TeamRollupRow {
  day: number;
  team_id: number;
  user_id: number;
  model_name: string;
  requests: number;
  failures: number;
  quota: QuotaUnits;
  prompt_tokens: number;
  cached_prompt_tokens: number;
  completion_tokens: number;
}

/**
 * `CostRollupRow` is what calls with a known cost add up to, by UTC day (days since 1970), channel
 * and priced model.
 */
export interface CostRollupRow {
  day: number;
  channel_id: number;
  model_name: string;
  requests: number;
  /** `quota` is what these calls were charged. */
  quota: QuotaUnits;
  cost_nanos: number;
}

/**
 * `MarkRollupRow` is what calls with marks of the gateway add up to, by UTC day (days since 1970),
 * account (0 for services) and the team that paid (0 for none).
 */
export interface MarkRollupRow {
  day: number;
  team_id: number;
  user_id: number;
  requests: number;
  /** `saved` is below 0 where writing to the cache cost more than reading from it saved. */
  saved: QuotaUnits;
}

/** `latency_N` and `ttft_N` count requests in bucket N of `histogramBoundsMs`. */
export type RollupMeasures = {
  requests: number;
  failures: number;
  quota: QuotaUnits;
  prompt_tokens: number;
  completion_tokens: number;
  cached_prompt_tokens: number;
  cache_write_tokens: number;
  cache_hits: number;
  cache_hit_quota: QuotaUnits;
  elapsed_ms: number;
  ttft_ms: number;
} & Record<`latency_${number}` | `ttft_${number}`, number>;

/** An id that a provider issued, and to whom: relay/provider-states. */
export interface ProviderStateRow {
  /** SHA-256 (hex) of the id. */
  id_hash: string;
  channel_id: number;
  /** A `StateKind`. */
  kind: string;
  user_id: number;
  /** The team that it was made for; 0 for none. */
  team_id: number;
  /** Tells the provider keys of a channel apart without revealing them. */
  key_hash: string;
  /**
   * The model that the call asked for: an API key that may not use it may not use the state either.
   */
  model_name: string;
  created_at: Millis;
  /** `used_at` is exact to a day. */
  used_at: Millis;
  /**
   * Input and output tokens of the call that issued a response or conversation; null until it has
   * been counted.
   */
  context_tokens: number | null;
}

/** A file that a user stored at a provider. Its contents are there alone. */
export interface ProviderFileRow {
  /** A time id: the order of a user's files. */
  id: number;
  /**
   * `file_id` is as the provider named it. It opens nothing without the provider's key or an API
   * key of its owner.
   */
  file_id: string;
  channel_id: number;
  user_id: number;
  /** The team that it was made for; 0 for none. */
  team_id: number;
  purpose: string;
  filename: string;
  bytes: number;
  created_at: Millis;
  /** `expires_at` is when the provider deletes it; null for never. */
  expires_at: Millis | null;
}

/**
 * A conversation, vector store, container, cache or file of Gemini that a user made at a provider.
 */
export interface KeptObjectRow {
  /** The id of the request which made it. */
  id: number;
  /** `object_id` is as the provider named it. */
  object_id: string;
  channel_id: number;
  /** A `StateKind` (relay/provider-states/state-references.ts). */
  kind: string;
  user_id: number;
  /** The team that it was made for; 0 for none. */
  team_id: number;
  created_at: Millis;
}

/** An upload to a provider that its client sends piece by piece. */
export interface ProviderUploadRow {
  /** SHA-256 (hex) of the id in the address that the client was given. */
  id_hash: string;
  user_id: number;
  /** The team that it was made for; 0 for none. */
  team_id: number;
  token_id: number;
  channel_id: number;
  /** The account of the channel (`hashAccount`). */
  key_hash: string;
  /** The size that its client declared. */
  bytes: number;
  /** The query of the provider's address, sealed: it opens the upload. */
  address_sealed: string;
  created_at: Millis;
}

/** A batch of a user at a provider. */
export interface ProviderBatchRow {
  /** Its hold, charge, log row and trace have the same id. */
  id: number;
  /**
   * `batch_id` is as the provider named it; null until the gateway knows that the provider took the
   * batch.
   */
  batch_id: string | null;
  channel_id: number;
  user_id: number;
  /** The team that it was made for; 0 for none. */
  team_id: number;
  /** `BatchDialectName`: as which vendor's API it was made. */
  dialect: string;
  /**
   * `creating`: sent to the provider, or about to be. `running`: the provider has it. `settled`:
   * charged.
   */
  state: string;
  /** `BatchTerms` (relay/batches/batch-terms.ts) as JSON: what the charge needs. */
  terms: string;
  /** The provider's last answer about it, as JSON. */
  answer: string | null;
  created_at: Millis;
  /** `expires_at` is when the provider ends it at the latest. */
  expires_at: Millis;
  /** `due_at` is when the provider is asked next. */
  due_at: Millis;
  /** `lease_until` is one node asks at a time. */
  lease_until: Millis;
}

/** A video that a provider makes for a user. */
export interface VideoTaskRow {
  /** Its hold, charge, log row and trace have the same id. */
  id: number;
  /** `video_id` is as the gateway named it: what clients see. */
  video_id: string;
  /**
   * `upstream_id` is as the provider named it; null until the gateway knows that the provider makes
   * it.
   */
  upstream_id: string | null;
  channel_id: number;
  user_id: number;
  /** The team that it was made for; 0 for none. */
  team_id: number;
  /**
   * `creating`: sent to a provider, or about to be. `running`: the provider has it. `settled`:
   * charged.
   */
  state: string;
  /**
   * `VideoTerms` (relay/videos/video-terms.ts) as JSON: what the charge needs; empty while it is
   * being created.
   */
  terms: string;
  /** `answer` is what clients read about it, as JSON; empty while it is being created. */
  answer: string;
  created_at: Millis;
  /** `expires_at` is when the gateway stops waiting for it. */
  expires_at: Millis;
  /** `due_at` is when the provider is asked next. */
  due_at: Millis;
  /** `lease_until` is one node asks at a time. */
  lease_until: Millis;
}

/** A reply of the Responses API with its conversation, stored for a follow-up call. */
export interface HeldResponseRow {
  response_id: string;
  user_id: number;
  /** The team that it was made for; 0 for none. */
  team_id: number;
  /**
   * `StoredResponse` (relay/stored-responses/stored-responses.ts) as JSON, sealed and bound to id
   * and user.
   */
  sealed: string;
  created_at: Millis;
  expires_at: Millis;
}
