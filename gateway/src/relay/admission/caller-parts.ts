/**
 * The parts of a caller (`RelayCaller`), so that a function can ask for those that it reads.
 * Spendable quota is in none of them: only the guarded hold knows it.
 */
import type { PromptMarks } from "@tollgate/contract/accounts/token-restrictions.ts";
import type { TokenPause } from "@tollgate/contract/accounts/tokens.ts";
import type { AddressBlock } from "@tollgate/contract/api/cidr.ts";
import type { KeptBodies } from "@tollgate/contract/call-bodies.ts";
import type { KeyTags } from "./call-tags.ts";
import type { ApiKeyLimits } from "./token-limits.ts";

/** `CallerIdentity` says whose a call is, for rows, counts and logs. */
export interface CallerIdentity {
  userId: number;
  username: string;
  /** The owner's. */
  group: string;
  /** The team that pays; 0 where the owner does. */
  teamId: number;
  tokenId: number;
  tokenName: string;
}

/** `CallerReach` is what the calls of a key may use. */
export interface CallerReach {
  /**
   * `groups` says whose channels a call tries, in this order: the groups that the token names, as
   * far as its owner may use them now, or the owner's alone. Empty where the owner may use none of
   * the named ones.
   */
  readonly groups: readonly string[];
  /** The token names groups of its own. */
  namesGroups: boolean;
  /** Null means every model. */
  models: ReadonlySet<string> | null;
  /** MCP servers and tools as `server/tool`; null means all that its groups may use. */
  mcpTools: ReadonlySet<string> | null;
  /** The key was found by its whole text, so that its end names no channel. */
  isFoundWhole: boolean;
}

/** `CallerFunds` are what pays for the calls of a key. */
export interface CallerFunds {
  /** `walletId` is that of the team where the token has one. */
  walletId: number;
  /** `team` is what refusals say of that team. */
  team: PayingTeam | undefined;
  /** The owner's membership in that team; 0 for the key of a service, and without a team. */
  memberId: number;
  isUnlimited: boolean;
  remainQuota: number;
}

export interface PayingTeam {
  name: string;
  isEnabled: boolean;
  /** The key is a member's, and its owner has left. */
  hasMemberLeft: boolean;
  /** The holder of the key may know what the wallet of the team has left. */
  seesBalance: boolean;
  /** `limits` count all its keys together; undefined where it has none. */
  limits: ApiKeyLimits | undefined;
}

/** `KeyRules` are what a key lays down for its calls. */
export interface KeyRules {
  /** Undefined for a key without limits. */
  limits: ApiKeyLimits | undefined;
  /** Undefined for a key that says nothing about tags. */
  tags: KeyTags | undefined;
  /** `bodies` are what is kept of the contents of its calls. */
  bodies: KeptBodies;
  /** The greatest age of an answer of the response cache that its calls may ask for; 0 for none. */
  cacheSeconds: number;
  /** `promptMarks` win over what the channel says; empty for nearly every key. */
  promptMarks: PromptMarks;
}

/** `KeyState` is what decides whether a key is accepted now. */
export interface KeyState {
  role: number;
  userStatus: number;
  tokenStatus: number;
  /** Null unless the status is paused. */
  pause: TokenPause | null;
  /**
   * `isOfSession` says that it belongs to the sign-in of a program or browser, and ends with it.
   */
  isOfSession?: boolean;
  expiredAt: number | null;
  subnets: readonly AddressBlock[];
  /** The token was found by the key that it had before its last rotation. */
  isOldKey: boolean;
}
