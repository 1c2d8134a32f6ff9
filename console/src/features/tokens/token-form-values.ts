import type {
  Budget,
  SpendingLimitInput,
  setSpendingLimit,
} from "@tollgate/contract/accounts/budgets.ts";
import { readTagKeys, readTagList } from "@tollgate/contract/accounts/tags.ts";
import {
  buildEachTokenLimit,
  cacheSecondsMax,
  type PromptMarks,
  promptMarks,
  tokenLimitMax,
} from "@tollgate/contract/accounts/token-restrictions.ts";
import type { createToken, Token, updateToken } from "@tollgate/contract/accounts/tokens.ts";
import type { BodyIn } from "@tollgate/contract/api/endpoint.ts";
import { type KeptBodies, keptBodies } from "@tollgate/contract/call-bodies.ts";
import * as z from "zod/mini";
import { buildEntityIds } from "../../compat/entity-ids.ts";
import { knowsLimits, listAddressBlocks, listModelNames } from "../../compat/token-compat.ts";
import { batchMax, parseNames } from "../../components/batch/batch-names.ts";
import { defineWholeNumber, numberText } from "../../components/forms/whole-number.ts";
import {
  computeStatusAfterEdit,
  findExpiryFromInput,
  neverExpires,
  readExpiryToInput,
} from "./token-screen-rules.ts";

type TokenLimits = Pick<Token, keyof typeof tokenLimitMax>;

/** Form values: text as typed, so that opening and saving a token changes nothing. */
export type TokenFormValues = {
  name: string;
  models: string[];
  subnet: string;
  /** `groups` are in the order in which calls try them; none for the owner's. */
  groups: string[];
  /** MCP servers and their tools as `server/tool`; none for those that need not be named. */
  mcp_tools: string[];
  /** The tags as `team=search,env=prod`. */
  tags: string;
  /** `bodies` are what is kept of the contents of its calls. */
  bodies: string;
  /** Greatest age of an answer of the response cache; 0 for none. */
  cache_seconds: string;
  /** `prompt_marks` say whether the gateway marks prompts for the cache of Claude. */
  prompt_marks: string;
  /** Keys of tags, separated by commas. */
  required_tags: string;
  expired_time: string;
  unlimited_quota: boolean;
  remain_quota: string;
  /** Empty for no limit. */
  spending_window: string;
  /** Units. */
  spending_limit: string;
} & Record<keyof TokenLimits, string>;

/** The values after validation. */
export type TokenFormOutput = Omit<
  TokenFormValues,
  "remain_quota" | "cache_seconds" | keyof TokenLimits
> & {
  remain_quota: number;
  cache_seconds: number;
} & TokenLimits;

const noSpendingLimit = { spending_window: "", spending_limit: "" };

export const newToken: TokenFormValues = {
  name: "",
  models: [],
  subnet: "",
  groups: [],
  mcp_tools: [],
  tags: "",
  required_tags: "",
  bodies: "",
  cache_seconds: "0",
  prompt_marks: "",
  expired_time: "",
  unlimited_quota: false,
  remain_quota: "500000",
  ...noSpendingLimit,
  ...buildEachTokenLimit(() => "0"),
};

/** The translated validation messages. */
export type TokenFormMessages = {
  name: string;
  expiry: string;
  quota: string;
  limit: (max: number) => string;
  spending: string;
  tags: string;
  tagKeys: string;
  /** More names than a batch may have. */
  names: string;
};

/** `defineTokenFormSchema` takes, for a batch, a `name` that holds one name a line. */
export function defineTokenFormSchema(
  messages: TokenFormMessages,
  isBatch = false,
): z.ZodMiniType<TokenFormOutput, TokenFormValues> {
  const limit = (max: number) => defineWholeNumber(messages.limit(max), 0, max);
  const values = z.object({
    name: z.string().check(
      z.trim(),
      z.minLength(1, messages.name),
      z.refine((text) => !isBatch || parseNames(text).length <= batchMax, messages.names),
    ),
    models: z.array(z.string()),
    subnet: z.string(),
    groups: z.array(z.string()),
    mcp_tools: z.array(z.string()),
    tags: z.string().check(z.refine((text) => readTagList(text) !== undefined, messages.tags)),
    bodies: z.string(),
    cache_seconds: limit(cacheSecondsMax),
    prompt_marks: z.string(),
    required_tags: z
      .string()
      .check(z.refine((text) => readTagKeys(text) !== undefined, messages.tagKeys)),
    expired_time: z
      .string()
      .check(z.refine((input) => findExpiryFromInput(input) !== undefined, messages.expiry)),
    unlimited_quota: z.boolean(),
    remain_quota: defineWholeNumber(messages.quota),
    spending_window: z.string(),
    spending_limit: z.string(),
    ...buildEachTokenLimit((name) => limit(tokenLimitMax[name])),
  });
  const spending = defineWholeNumber(messages.spending, 1);
  const isSpendingSound = ({ spending_window, spending_limit }: z.output<typeof values>) =>
    spending_window === "" || spending.safeParse(spending_limit).success;
  return values.check(
    z.refine(isSpendingSound, { error: messages.spending, path: ["spending_limit"] }),
  );
}

/** `spending` is the token's own spending limit. */
export function buildTokenForm(token: Token, spending?: Budget): TokenFormValues {
  return {
    name: token.name,
    models: listModelNames(token.models),
    subnet: token.subnet ?? "",
    groups: listModelNames(token.groups),
    mcp_tools: listModelNames(token.mcp_tools),
    // Other servers of the family have no tags.
    tags: token.tags ?? "",
    required_tags: token.required_tags ?? "",
    bodies: token.bodies ?? "",
    cache_seconds: String(token.cache_seconds || 0),
    prompt_marks: token.prompt_marks ?? "",
    expired_time: readExpiryToInput(token.expired_time),
    unlimited_quota: token.unlimited_quota,
    // Compatible servers allow a negative balance; the form cannot save one.
    remain_quota: numberText(Math.max(0, token.remain_quota)),
    ...(spending === undefined
      ? noSpendingLimit
      : { spending_window: spending.window, spending_limit: numberText(spending.amount) }),
    ...buildEachTokenLimit((name) => String(token[name] || 0)),
  };
}

export function buildTokenCreate(values: TokenFormOutput): BodyIn<typeof createToken> {
  const limits = Object.entries(buildLimits(values)).filter(([, limit]) => limit > 0);
  return {
    ...buildCommonFields(values),
    ...Object.fromEntries(limits),
    ...(values.groups.length > 0 && { groups: values.groups.join(",") }),
    ...(values.mcp_tools.length > 0 && { mcp_tools: values.mcp_tools.join(",") }),
    ...(values.tags !== "" && { tags: values.tags }),
    ...(values.required_tags !== "" && { required_tags: values.required_tags }),
    ...(values.bodies !== "" && { bodies: buildKept(values.bodies) }),
    ...(values.cache_seconds > 0 && { cache_seconds: values.cache_seconds }),
    ...(values.prompt_marks !== "" && { prompt_marks: buildMarks(values.prompt_marks) }),
    expired_time: findExpiryFromInput(values.expired_time) ?? -1,
  };
}

/** Sends untouched fields as they were read, and the quota together with the one that was read. */
export function buildTokenUpdate(
  values: TokenFormOutput,
  read: Token,
  nowSeconds: number,
): BodyIn<typeof updateToken> {
  const opened = buildTokenForm(read);
  const edit = {
    ...buildCommonFields(values),
    // Never is always sent as -1: some compatible servers take 0 as an expiry in 1970.
    expired_time:
      values.expired_time === opened.expired_time && !neverExpires(read.expired_time)
        ? read.expired_time
        : (findExpiryFromInput(values.expired_time) ?? -1),
    ...(values.subnet === opened.subnet && { subnet: opened.subnet }),
    ...(values.groups.join(",") !== opened.groups.join(",") && { groups: values.groups.join(",") }),
    ...(values.mcp_tools.join(",") !== opened.mcp_tools.join(",") && {
      mcp_tools: values.mcp_tools.join(","),
    }),
    ...(values.tags !== opened.tags && { tags: values.tags }),
    ...(values.required_tags !== opened.required_tags && { required_tags: values.required_tags }),
    ...(values.bodies !== opened.bodies && { bodies: buildKept(values.bodies) }),
    ...(String(values.cache_seconds) !== opened.cache_seconds && {
      cache_seconds: values.cache_seconds,
    }),
    ...(values.prompt_marks !== opened.prompt_marks && {
      prompt_marks: buildMarks(values.prompt_marks),
    }),
  };
  return {
    ...buildEntityIds(read),
    ...edit,
    ...(knowsLimits(read) && buildLimits(values)),
    status: computeStatusAfterEdit(read.status, edit, nowSeconds),
    remain_quota_read: Math.max(0, read.remain_quota),
    updated_at: read.updated_at,
  };
}

/**
 * `buildSpendingLimit` gives what to save of the spending limit beside the token; undefined where
 * it stays as it is. Without a zone, a new limit takes that of the site, and another keeps its own:
 * another zone would begin a new counter.
 */
export function buildSpendingLimit(
  values: Pick<TokenFormOutput, "spending_window" | "spending_limit">,
  read: Budget | undefined,
): BodyIn<typeof setSpendingLimit> | undefined {
  const [window, amount] = [values.spending_window, Number(values.spending_limit)];
  if (window === "") return read === undefined ? undefined : { amount: 0, window: "month" };
  if (window === read?.window && amount === read.amount) return undefined;
  return { amount, window: window as SpendingLimitInput["window"] };
}

/** The choice of the form, which offers no other. */
const buildKept = (chosen: string): KeptBodies => keptBodies.find((one) => one === chosen) ?? "";

const buildMarks = (chosen: string): PromptMarks => promptMarks.find((one) => one === chosen) ?? "";

const buildLimits = (limits: TokenLimits): TokenLimits =>
  buildEachTokenLimit((name) => limits[name]);

function buildCommonFields({
  name,
  models,
  subnet,
  unlimited_quota,
  remain_quota,
}: TokenFormOutput) {
  return {
    name,
    remain_quota,
    unlimited_quota,
    models: models.join(","),
    subnet: listAddressBlocks(subnet),
  };
}
