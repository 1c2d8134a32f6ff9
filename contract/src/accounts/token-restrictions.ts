/**
 * What an API key may be restricted to, limited in and told to do: the columns, what a key without
 * any holds in them, and how a request names them.
 */
import * as z from "zod/mini";
import { blockText, parseBlock } from "../api/cidr.ts";
import { makeAboutField } from "../api/field-message.ts";
import { line, nameList } from "../api/scalars.ts";
import { type KeptBodies, keptBodies } from "../call-bodies.ts";
import { mcpToolList } from "../catalogue/mcp-servers.ts";
import { tagKeyList, tagList } from "./tags.ts";

/**
 * The limits of a token and their maxima, far beyond what one key can use: a larger number is a
 * typing mistake.
 */
export const tokenLimitMax = {
  rpm_limit: 1_000_000,
  tpm_limit: 1_000_000_000,
  max_parallel_requests: 10_000,
} as const;
export type TokenLimitName = keyof typeof tokenLimitMax;
export const tokenLimitNames = Object.keys(tokenLimitMax) as TokenLimitName[];
export const buildEachTokenLimit = <Value>(create: (name: TokenLimitName) => Value) =>
  Object.fromEntries(tokenLimitNames.map((name) => [name, create(name)])) as Record<
    TokenLimitName,
    Value
  >;

/**
 * `promptMarks` say whether the gateway marks what Claude caches of the prompts of a key: empty as
 * the channel says, `on` and `off` on every channel.
 */
export const promptMarks = ["", "on", "off"] as const;
export type PromptMarks = (typeof promptMarks)[number];

/** `cacheSecondsMax` is a day, as long as the response cache keeps answers at most. */
export const cacheSecondsMax = 86_400;

/**
 * `noTokenRestrictions` are what a token without restrictions and tags holds in their columns, and
 * one that keeps no contents and takes no cached answers.
 */
export const noTokenRestrictions: Record<
  "models" | "subnet" | "groups" | "mcp_tools" | "tags" | "required_tags",
  string
> &
  Record<"bodies", KeptBodies> &
  Record<"cache_seconds", number> &
  Record<"prompt_marks", PromptMarks> &
  Record<TokenLimitName, number> = {
  models: "",
  subnet: "",
  groups: "",
  mcp_tools: "",
  tags: "",
  required_tags: "",
  bodies: "",
  cache_seconds: 0,
  prompt_marks: "",
  ...buildEachTokenLimit(() => 0),
};

const blocks = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

/** Single addresses become blocks of one address. */
export const subnetList = z.pipe(
  line(2000).check(
    z.refine(
      (text) => blocks(text).every((part) => parseBlock(part) !== undefined),
      makeAboutField("must be addresses or blocks such as 192.168.0.0/24, separated by commas"),
    ),
  ),
  z.transform((text) =>
    blocks(text)
      .flatMap((part) => parseBlock(part) ?? [])
      .map(blockText)
      .join(","),
  ),
);

const bounded = (max: number) =>
  z.optional(
    z.nullable(
      z
        .int()
        .check(
          z.minimum(0, makeAboutField("must be 0 or more")),
          z.maximum(max, makeAboutField(`must be at most ${max}`)),
        ),
    ),
  );

/** Groups of one token: each may bring channels of its own, and a client waits for all of them. */
export const tokenGroupsMax = 5;

const groupList = z.pipe(
  nameList(400),
  z
    .string()
    .check(
      z.refine(
        (text) => text.split(",").length <= tokenGroupsMax,
        makeAboutField(`must name at most ${tokenGroupsMax} groups`),
      ),
    ),
);

/** Null removes the restriction. */
export const requestedRestrictions = {
  models: z.optional(z.nullable(nameList(10_000))),
  subnet: z.optional(z.nullable(subnetList)),
  groups: z.optional(z.nullable(groupList)),
  mcp_tools: z.optional(z.nullable(mcpToolList)),
  tags: z.optional(z.nullable(tagList)),
  required_tags: z.optional(z.nullable(tagKeyList)),
  bodies: z.optional(
    z.nullable(z.enum(keptBodies, makeAboutField('must be "", redacted or full'))),
  ),
  cache_seconds: bounded(cacheSecondsMax),
  prompt_marks: z.optional(
    z.nullable(z.enum(promptMarks, makeAboutField('must be "", on or off'))),
  ),
  ...buildEachTokenLimit((name) => bounded(tokenLimitMax[name])),
};
