/**
 * Neutral items, into which every source is brought before anything is written, and a line for each
 * thing that is not carried.
 */
import type { BudgetWindow } from "@tollgate/contract/accounts/budget-kinds.ts";
import type { ExternalProvider } from "@tollgate/contract/accounts/external-providers.ts";
import type { TeamRole } from "@tollgate/contract/accounts/teams.ts";
import type { TokenLimitName } from "@tollgate/contract/accounts/token-restrictions.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import type { Usage } from "../../money/prices/price.ts";

export const importEntities = [
  "option",
  "user",
  "team",
  "channel",
  "model",
  "token",
  "code",
  "log",
  "shadow",
] as const;
export type ImportEntity = (typeof importEntities)[number];

/** The kinds whose deletion in the source ends something here. */
export const followedKinds = ["user", "team", "token", "code", "channel"] as const;
export type FollowedKind = (typeof followedKinds)[number];

/**
 * `Loss` is what is not carried, or carried otherwise, and why: data; loss-text.ts has the
 * sentences.
 */
export interface Loss {
  entity: ImportEntity | "site" | "source";
  sourceId: string;
  /** A name that the operator recognises; never a secret. */
  name: string;
  /** The field that is concerned; empty for the whole row. */
  field: string;
  reason: ImportLossReason;
  /** `value` is what the sentence of the reason shows. */
  value: string;
}

export type LossReporter = (loss: Loss) => void;

/** `Reading` is one row of the source: the item that it becomes, if any. */
export interface Reading<Item> {
  sourceId: string;
  item: Item | undefined;
  losses: readonly Loss[];
}

export interface SourceUser {
  username: string;
  displayName: string;
  email: string;
  /** `passwordHash` is as stored there; empty where it cannot be compared here. */
  passwordHash: string;
  /** 1, 10 or 100. */
  role: number;
  isEnabled: boolean;
  mustChangePassword: boolean;
  group: string;
  /** Units; below zero is owed. */
  balance: number;
  usedQuota: number;
  requestCount: number;
  uuid: string | undefined;
  accessToken: string | undefined;
  inviterSourceId: string | undefined;
  invitationCode: string | undefined;
  /** The seed of the second factor. */
  totpSeed: Uint8Array | undefined;
  /** `oidc` is the one provider of OpenID Connect that the source has in its settings. */
  externalAccounts: readonly { provider: ExternalProvider | "oidc"; externalId: string }[];
  createdAtMs: number | undefined;
  /**
   * `teamSourceId` is of an account that stands for a team: earlier versions made one of each. A
   * run makes none; it goes on with those that are here.
   */
  teamSourceId?: string;
}

/** `SourceBudget` is one of a member, whose counter begins here. */
export interface SourceBudget {
  /** Units. */
  amount: number;
  window: BudgetWindow;
}

export interface SourceTeamMember {
  userSourceId: string;
  role: TeamRole;
  budget: SourceBudget | undefined;
}

/** People who share a wallet. */
export interface SourceTeam {
  name: string;
  isEnabled: boolean;
  /** Units. */
  balance: number;
  /** Comma-joined; empty allows every model. */
  models: string;
  /** 0 for none. */
  limits: Readonly<Record<TokenLimitName, number>>;
  members: readonly SourceTeamMember[];
  /** `accountSourceId` is the id of the account that an earlier version made of it. */
  accountSourceId: string;
  createdAtMs: number | undefined;
}

export type SourceKey =
  /** A key in clear text has no prefix. */
  | { kind: "clear"; text: string }
  /**
   * SHA-256 in hex of the whole key with its prefix, where the source stores nothing else; the
   * ending is what it shows.
   */
  | { kind: "hashed"; sha256: string; ending: string };

export interface SourceToken {
  ownerSourceId: string;
  /**
   * `team` pays for the key, where the owner is no account of an earlier run: it is the key of this
   * member, or of a service.
   */
  team?: { sourceId: string; memberSourceId: string | undefined };
  name: string;
  key: SourceKey;
  /** 1 enabled, 2 disabled, 4 exhausted. */
  status: number;
  remainQuota: number;
  isUnlimited: boolean;
  usedQuota: number;
  expiredAtMs: number | null;
  /** Comma-joined; empty allows every model. */
  models: string;
  /** Comma-joined blocks; empty allows every address. */
  subnet: string;
  /** Comma-joined, in the order in which calls try them; empty for the owner's. */
  groups: string;
  /** 0 for none. */
  limits: Readonly<Record<TokenLimitName, number>>;
  createdAtMs: number | undefined;
  accessedAtMs: number | undefined;
}

export interface SourceChannel {
  /** Fields of `channelInput`, which decides whether they are accepted. */
  input: Readonly<Record<string, unknown>>;
  /** 1 enabled, 2 disabled, 3 disabled automatically. */
  status: number;
  usedQuota: number;
  /** Its own outbound proxy, with its password. */
  proxy?: string;
  /** Statuses of keys of a channel with several, by the text of the key. */
  keyStatuses: ReadonlyMap<string, { status: number; reason: string }>;
  createdAtMs: number | undefined;
}

export interface SourceVirtualModel {
  name: string;
  /** Fields of `virtualModelInput`, which decides whether they are accepted. */
  input: Readonly<Record<string, unknown>>;
}

export interface SourceCode {
  name: string;
  code: string;
  /** 1 unused, 2 disabled, 3 used. */
  status: number;
  quota: number;
  makerSourceId: string;
  redeemerSourceId: string | undefined;
  createdAtMs: number | undefined;
  redeemedAtMs: number | undefined;
}

/** `SourceCall` is what the source charged for a call, and for what. */
export interface SourceCall {
  userSourceId: string;
  channelSourceId: string;
  /** The group whose ratio it charged; undefined for that of the user. */
  group: string | undefined;
  /**
   * `model` is as the client or the provider names it: where a channel maps names, either may be
   * stored.
   */
  model: string;
  usage: Usage;
  /** Units. */
  quota: number;
  /**
   * `rounding` goes by how many units a charge at the same price may differ here, because of how
   * the source rounds.
   */
  rounding: { least: number; most: number };
}

/** `SourceCharge` is what the source charged for a call, by the id that it told the client. */
export interface SourceCharge {
  requestId: string;
  /** Units. */
  quota: number;
  createdAtMs: number;
}

/** A row of the log of the source. */
export interface SourceLog {
  /** Increases from row to row. */
  sourceId: number;
  userSourceId: string;
  /**
   * `userNumber` goes by which sums of the user are kept: the id there, or a number that is made of
   * it.
   */
  userNumber: number;
  username: string;
  /** Undefined where the source names the key by its name alone. */
  tokenSourceId: string | undefined;
  tokenName: string;
  channelSourceId: string;
  /** The model as priced, after mapping. */
  model: string;
  requestedModel: string;
  /** A type of `logTypes`: a top-up, a call, or an event. */
  type: number;
  /** Units. */
  quota: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  cacheWrite5mTokens: number;
  cacheWrite1hTokens: number;
  elapsedMs: number;
  /** 0 where it is not known. */
  firstContentMs: number;
  isStream: boolean;
  content: string;
  createdAtMs: number;
}

export interface SourceLogPage {
  rows: readonly SourceLog[];
  /** Rows that are of another kind, or cannot be read. */
  others: number;
  /** The last row of the page, carried or not. */
  lastId: number;
}

export interface SourceOption {
  key: string;
  value: string;
}

/** `Pages` are one page of rows, read together. */
type Pages<Item> = AsyncIterable<readonly Reading<Item>[]>;

/**
 * `SourceReach` says how much of the other system is read: what is read whole and is not found is
 * deleted there.
 */
export interface SourceReach {
  /** The kinds that are read to their last row, each with the places where its rows are. */
  parts: Readonly<Partial<Record<FollowedKind, readonly string[]>>>;
  /** Ids of what the import itself makes. */
  made: readonly string[];
}

/** Another system's data as neutral items. */
export interface ImportSource {
  /** `system` says which system it is, for people. */
  system: string;
  label: string;
  /** `siteLosses` gives what concerns no single row, such as tables without a counterpart. */
  siteLosses(): Promise<readonly Loss[]>;
  reach(): Promise<SourceReach>;
  /** The ratios of groups, by the names that users and channels have here. */
  groupRatios(): Promise<Readonly<Record<string, number>>>;
  options(): Pages<SourceOption>;
  users(): Pages<SourceUser>;
  /** After the users, whom they name. */
  teams(): Pages<SourceTeam>;
  channels(): Pages<SourceChannel>;
  virtualModels(): Pages<SourceVirtualModel>;
  tokens(): Pages<SourceToken>;
  codes(): Pages<SourceCode>;
  /**
   * The last log rows, newest first; undefined for one that is no call, or was charged by more than
   * tokens.
   */
  lastCalls(): AsyncIterable<readonly (SourceCall | undefined)[]>;
  /**
   * The charges of the last calls, newest first; undefined where the log of the source has no ids
   * of requests.
   */
  lastCharges: (() => AsyncIterable<readonly SourceCharge[]>) | undefined;
  /**
   * Log rows after a row, in the order in which they were written; undefined where the source has
   * none that can be carried.
   */
  logs: ((afterId: number | undefined) => AsyncIterable<SourceLogPage>) | undefined;
}
