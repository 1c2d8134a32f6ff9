/**
 * Acts on many rows of a list, each in one request: whole or not at all. Each row obeys the rules
 * of the single act; a row that they refuse is skipped with the reason. A preview changes nothing
 * and says the same.
 */
import * as z from "zod/mini";
import { pauseReason } from "../accounts/tokens.ts";
import { endpoint } from "./endpoint.ts";
import { reference } from "./ids.ts";
import { channelTag, line, nameList, quotaUnits } from "./scalars.ts";

/**
 * `bulkRowsMax` is as many rows as the largest page of a list: one request is one transaction,
 * which others wait for.
 */
export const bulkRowsMax = 100;

const targets = {
  /** Integer ids or uuids. */
  ids: z.array(reference).check(z.minLength(1), z.maxLength(bulkRowsMax)),
  /** True: nothing is changed. */
  preview: z.optional(z.boolean()),
};

/** Members of a row by their names on the wire. */
const bulkMembers = z.record(z.string(), z.union([z.string(), z.number()]));
export type BulkMembers = z.output<typeof bulkMembers>;

export const bulkRow = z.object({
  /** 0 for a row that does not exist and was named by its uuid. */
  id: z.int(),
  uuid: z.string(),
  name: z.string(),
  /** `skipped` says why the row stays as it is; null for a row that changes. */
  skipped: z.nullable(z.object({ code: z.string(), message: z.string() })),
  /** The members that change. Both are empty for a row that is deleted or skipped. */
  before: bulkMembers,
  after: bulkMembers,
});
export type BulkRow = z.output<typeof bulkRow>;

const reply = {
  data: z.object({ changed: z.int(), rows: z.array(bulkRow) }),
  timeoutMs: 60_000,
} as const;

/** The fields that each verb needs besides the rows. */
export const channelVerbFields = {
  enable: [],
  disable: [],
  set_group: ["group"],
  set_priority: ["priority"],
  set_weight: ["weight"],
  set_tag: ["tag"],
  add_models: ["models"],
  remove_models: ["models"],
  replace_key: ["key"],
  set_price: ["model", "ratio", "completion_ratio"],
  delete: [],
} as const;
export type ChannelVerb = keyof typeof channelVerbFields;
export const channelVerbs = Object.keys(channelVerbFields) as [ChannelVerb, ...ChannelVerb[]];

const ratioMax = 1_000_000_000;
const ratio = z.number().check(z.minimum(0), z.maximum(ratioMax));
const priority = z.int().check(z.minimum(-1_000_000_000), z.maximum(1_000_000_000));

const channelBulk = z
  .object({
    ...targets,
    verb: z.enum(channelVerbs),
    /** Comma-joined names. */
    group: z.optional(nameList(500)),
    priority: z.optional(priority),
    weight: z.optional(z.int().check(z.minimum(0), z.maximum(1_000_000_000))),
    /** Empty takes the tag away. */
    tag: z.optional(channelTag),
    models: z.optional(nameList(50_000)),
    /** `key` is one key, for channels that send it to the same destination. */
    key: z.optional(line(20_000)),
    model: z.optional(line(200)),
    /** Quota units per prompt token: 1 is 2 dollars per million tokens. */
    ratio: z.optional(ratio),
    /** The price of the answer as a multiple of `ratio`. */
    completion_ratio: z.optional(ratio),
    /**
     * Quota units per cached prompt token, -1 for none; missing and 0: a cached token costs what
     * others cost.
     */
    cached_input_ratio: z.optional(z.number().check(z.minimum(-1), z.maximum(ratioMax))),
  })
  .check((payload) => {
    const { value } = payload;
    for (const field of channelVerbFields[value.verb])
      if (value[field] === undefined || (value[field] === "" && field !== "tag"))
        payload.issues.push({
          code: "custom",
          path: [field],
          message: `${field} is required`,
          input: value,
        });
  });
export type ChannelBulk = z.output<typeof channelBulk>;

export const changeManyChannels = endpoint("POST", "/api/channel/bulk", {
  access: "admin",
  scope: "channels:write",
  summary: "One act on many channels, or its preview; rows that its rules refuse are skipped",
  body: channelBulk,
  ...reply,
});

export const userVerbs = ["enable", "disable", "set_group", "top_up"] as const;
export type UserVerb = (typeof userVerbs)[number];

const userBulk = z
  .object({
    ...targets,
    verb: z.enum(userVerbs),
    group: z.optional(line(32)),
    /** Units for each account, for `top_up`. */
    quota: z.optional(quotaUnits.check(z.minimum(1))),
    /** The owners see it in their logs. */
    remark: z.optional(line(255)),
  })
  .check(
    z.refine(({ verb, group }) => verb !== "set_group" || !!group, {
      error: "Group is required",
      path: ["group"],
    }),
    z.refine(({ verb, quota }) => verb !== "top_up" || quota !== undefined, {
      error: "quota is required",
      path: ["quota"],
    }),
  );
export type UserBulk = z.output<typeof userBulk>;

export const changeManyUsers = endpoint("POST", "/api/user/bulk", {
  access: "admin",
  scope: "users:write",
  summary:
    "One act on many accounts, or its preview; those out of reach are skipped. top_up needs wallets:grant too",
  body: userBulk,
  ...reply,
});

/**
 * `switchVerbs` are what can be done with many redemption codes; with many tokens, pausing besides.
 */
export const switchVerbs = ["enable", "disable", "delete"] as const;
export type SwitchVerb = (typeof switchVerbs)[number];
const switchBulk = z.object({ ...targets, verb: z.enum(switchVerbs) });
const tokenBulk = z.object({
  ...targets,
  verb: z.enum([...switchVerbs, "pause"]),
  /** `pause_reason` is for `pause`. */
  pause_reason: z.optional(pauseReason),
});

export const changeManyTokens = endpoint("POST", "/api/token/bulk", {
  access: "user",
  scope: "tokens:write",
  summary: "One act on many of the caller's tokens, or its preview",
  body: tokenBulk,
  ...reply,
});

export const disableManyTokens = endpoint("POST", "/api/token/all/bulk", {
  access: "admin",
  scope: "tokens:write",
  summary: "Disable tokens of any users in reach, or the preview; their owners are told",
  body: z.object(targets),
  ...reply,
});

export const changeManyRedemptions = endpoint("POST", "/api/redemption/bulk", {
  access: "admin",
  scope: "redemptions:write",
  summary: "One act on many redemption codes, or its preview; used ones are final",
  body: switchBulk,
  ...reply,
});
