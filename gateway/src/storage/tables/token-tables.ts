/** Rows of API keys. */

import type {
  PromptMarks,
  TokenLimitName,
} from "@tollgate/contract/accounts/token-restrictions.ts";
import type { PauseOrigin } from "@tollgate/contract/accounts/tokens.ts";
import type { KeptBodies } from "@tollgate/contract/call-bodies.ts";
import type { Generated } from "kysely";
import type { Flag, Millis, QuotaUnits } from "./column-types.ts";

/**
 * The limits of `tokenLimitMax` are columns too: calls and tokens per minute, and calls at once; 0
 * means no limit.
 */
export interface TokensTable extends Record<TokenLimitName, Generated<number>> {
  id: Generated<number>;
  uuid: string;
  /** 0 for the key of a service, which belongs to its team alone. */
  user_id: number;
  /** The team that pays; null where the wallet of the account does. */
  team_id: Generated<number | null>;
  /** When another wallet began to pay for it; null for a key that has never moved. */
  moved_at: Generated<Millis | null>;
  /** The key of a service of the team. */
  service: Generated<Flag>;
  /** The account that made the key of a service; 0 for other keys. */
  made_by: Generated<number>;
  name: string;
  /** SHA-256 (hex) of the key without its `sk-` prefix. */
  key_hash: string;
  /** The key, sealed for reveal and copy. */
  key_sealed: string;
  /**
   * The last four characters, by which administrators find the key; empty where it cannot be read.
   */
  key_ending: Generated<string>;
  /**
   * `key_made_at` is when a rotation or an administrator made the present key; null for a key that
   * is as old as its token.
   */
  key_made_at: Generated<Millis | null>;
  /**
   * The key before the last rotation: its hash, its last characters, and the moment from which it
   * is refused.
   */
  old_key_hash: Generated<string | null>;
  old_key_ending: Generated<string>;
  old_key_until: Generated<Millis | null>;
  /** `disabled` or `replaced` by an administrator, until the owner has read it. */
  taken_action: Generated<string | null>;
  taken_action_at: Generated<Millis | null>;
  /**
   * 1 enabled, 2 disabled, 4 exhausted, 5 paused. Expired (3) follows from `expired_at` and is
   * never stored.
   */
  status: number;
  /**
   * `paused_by` is that of the last pause: what it was made by, with its name, why and when. It
   * says nothing unless the status is 5.
   */
  paused_by: Generated<PauseOrigin | null>;
  paused_by_name: Generated<string>;
  pause_reason: Generated<string>;
  paused_at: Generated<Millis | null>;
  remain_quota: QuotaUnits;
  held_quota: Generated<QuotaUnits>;
  used_quota: Generated<QuotaUnits>;
  unlimited_quota: Flag;
  /** Null means never. */
  expired_at: Millis | null;
  /** Comma-joined model names; empty means no restriction. */
  models: string;
  /** Comma-joined CIDR blocks; empty means no restriction. */
  subnet: string;
  /** Comma-joined groups in the order of attempts; empty means the owner's group. */
  groups: Generated<string>;
  /**
   * Comma-joined names of MCP servers and of tools as `server/tool`; empty means no restriction.
   */
  mcp_tools: Generated<string>;
  /** Comma-joined `key=value`: tags that its calls have, whatever their client says. */
  tags: Generated<string>;
  /** Comma-joined keys of tags without which its calls are refused. */
  required_tags: Generated<string>;
  /** `bodies` are what is kept of the contents of its calls. */
  bodies: Generated<KeptBodies>;
  /** The greatest age of an answer of the response cache that its calls may ask for; 0 for none. */
  cache_seconds: Generated<number>;
  /** `prompt_marks` win over what the channel says of marks for the prompt cache. */
  prompt_marks: Generated<PromptMarks>;
  /**
   * Set on the playground key of a session: valid as long as the session, and hidden from lists.
   */
  session_hash: Generated<string | null>;
  /** Unique among the tokens of its user. */
  external_id: Generated<string | null>;
  created_at: Millis;
  updated_at: Millis;
  accessed_at: Millis;
}

/** A network from which a key was used on a UTC day. */
export interface KeyNetworkRow {
  token_id: number;
  /** Days since 1970. */
  day: number;
  /** The first address of a /24 of IPv4 or a /48 of IPv6. */
  network: string;
}
