/** The members of requests that create or change a channel. */

import * as z from "zod/mini";
import { externalIdOrNone } from "../accounts/external-ids.ts";
import { makeAboutField } from "../api/field-message.ts";
import { bodyReference, isNamed, namedExplanation } from "../api/ids.ts";
import { channelTag, line, nameList, prose, unixMillis } from "../api/scalars.ts";
import { isServed } from "../site/features.ts";
import {
  findCozeKeyIssue,
  formatJsonListText,
  formatJsonNamesText,
  formatJsonObjectText,
  isJson,
  modelConfigsText,
  otherHoldsJson,
  otherMessage,
  stripIssue,
} from "./channel-json.ts";
import { findOverridesIssue } from "./channel-overrides.ts";
import { channelTypeIds, findChannelType } from "./channel-types.ts";
import { findPatternIssue } from "./model-patterns.ts";

const notOffered = "This gateway does not serve channels of this type";
/**
 * A type that new channels may have; channels of other types that were imported stay as they are.
 */
export const isOfferedType = (id: number): boolean =>
  id !== channelTypeIds.proxy || isServed("proxy_channels");
const name = line(100).check(z.minLength(1, "Channel name is required"));
const knownType = z.int().check(
  z.minimum(1, "Channel type is required"),
  z.refine((id) => findChannelType(id) !== undefined, "Unknown channel type"),
);

/** Trailing slashes are removed. Only http and https, without credentials. */
const baseUrl = z.pipe(
  z.pipe(
    line(500),
    z.transform((text) => text.trim().replace(/\/+$/, "")),
  ),
  z
    .string()
    .check(
      z.refine(
        (text) => text === "" || isPlainUrl(text),
        makeAboutField("must be an http or https address without credentials"),
      ),
    ),
);

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.hash === ""
  );
}

const order = z.int().check(z.minimum(-1_000_000_000), z.maximum(1_000_000_000));
const share = z.int().check(z.minimum(0), z.maximum(1_000_000_000));
const key = prose(100_000);

/** Members that null or a missing value leaves unchanged; "" and 0 are values. */
const unchangedByNull = {
  base_url: z.optional(z.nullable(baseUrl)),
  other: z.optional(z.nullable(prose(100_000))),
  weight: z.optional(z.nullable(share)),
  priority: z.optional(z.nullable(order)),
  ratelimit: z.optional(z.nullable(share)),
  tag: z.optional(z.nullable(channelTag)),
};

/** `noMapping` is one-api's own form shows null as this word and sends it back. */
const noMapping = z.pipe(
  z.literal("null"),
  z.transform(() => ""),
);

/** Members that null and "" clear. */
const clearedByNull = {
  model_mapping: z.optional(
    z.nullable(z.union([noMapping, formatJsonNamesText("Invalid JSON format in model mapping")])),
  ),
  model_configs: z.optional(z.nullable(modelConfigsText)),
  system_prompt: z.optional(z.nullable(prose(100_000))),
  inference_profile_arn_map: z.optional(
    z.nullable(formatJsonNamesText("Invalid JSON format in inference profile ARN map")),
  ),
  hidden_models: z.optional(z.nullable(formatJsonListText("Invalid JSON format in hidden models"))),
  testing_model: z.optional(z.nullable(line(200))),
};

/** Members that an empty value leaves unchanged. */
const unchangedByEmpty = {
  models: z.optional(nameList(50_000).check(stripIssue(findPatternIssue))),
  group: z.optional(nameList(500)),
  config: z.optional(
    formatJsonObjectText("Invalid JSON format in configuration").check(
      stripIssue(findOverridesIssue),
    ),
  ),
};

type ChannelFields = {
  type?: number | undefined;
  other?: string | null | undefined;
  config?: string | undefined;
  key?: string | undefined;
};

const otherFits = (fields: ChannelFields) =>
  !fields.other || !fields.type || !otherHoldsJson(fields.type) || isJson(fields.other);
const buildAuthType = (config: string | undefined): unknown =>
  config ? JSON.parse(config).auth_type : undefined;
const findCozeIssue = (fields: ChannelFields) =>
  fields.type === channelTypeIds.coze && fields.key && buildAuthType(fields.config) === "oauth_jwt"
    ? findCozeKeyIssue(fields.key)
    : undefined;

const otherCheck = z.refine<ChannelFields>(otherFits, { error: otherMessage, path: ["other"] });
const cozeCheck = stripIssue(findCozeIssue, { path: ["key"] });

export const channelInput = z
  .object({
    name,
    type: knownType.check(z.refine(isOfferedType, notOffered)),
    /** Each line that is not empty creates a channel. */
    key: z._default(key, ""),
    status: z.optional(z.int().check(z.minimum(0), z.maximum(2))),
    external_id: externalIdOrNone,
    ...unchangedByEmpty,
    ...unchangedByNull,
    ...clearedByNull,
  })
  .check(otherCheck, cozeCheck);
export type ChannelInput = z.output<typeof channelInput>;

const changeable = {
  name: z.optional(name),
  /** 0 keeps the type. */
  type: z.optional(z.union([z.literal(0), knownType], { error: "Unknown channel type" })),
  /** Empty keeps the stored key. */
  key: z.optional(key),
  status: z.optional(z.int().check(z.minimum(0), z.maximum(3))),
  ...unchangedByEmpty,
  ...unchangedByNull,
  ...clearedByNull,
};

export const channelChange = z
  .object({
    ...bodyReference,
    ...changeable,
    /**
     * `key_added` is for a channel with several keys: `key` adds keys instead of replacing them.
     */
    key_added: z.optional(z.boolean()),
    external_id: externalIdOrNone,
    /** Takes the channel over from its configuration file. */
    managed_by: z.optional(z.literal("")),
    /** The version that the form read; refused when it is older than the stored one. */
    updated_at: z.optional(unixMillis),
  })
  .check(z.refine(isNamed, namedExplanation), otherCheck, cozeCheck);
export type ChannelChange = z.output<typeof channelChange>;

/**
 * `channelByExternalId` misses the members that a creation needs only where the channel does not
 * exist.
 */
export const channelByExternalId = z.object(changeable).check(otherCheck, cozeCheck);
export type ChannelByExternalId = z.output<typeof channelByExternalId>;

export const channelStatusChange = z
  .object({ ...bodyReference, status: z.int().check(z.minimum(1), z.maximum(2)) })
  .check(z.refine(isNamed, namedExplanation));
