/**
 * The members of a channel's `config` that concern every upstream call: `custom_headers` and
 * `param_override` change it, flags say what the channel may do, and a factor what its place costs.
 */

import { isJsonRecord } from "../api/json-record.ts";
import { buildChannelIssue, type ChannelIssue } from "./channel-issues.ts";

/**
 * `fixedHeaders` describe the connection and the body as sent, or would bring replies in unreadable
 * encodings.
 */
const fixedHeaders: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "accept-encoding",
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
  "expect",
]);
/**
 * `fixedParameters` carry the client's content, determine the price, or make a stream report its
 * usage.
 */
const fixedParameters: ReadonlySet<string> = new Set([
  "model",
  "stream",
  "stream_options",
  "messages",
  "input",
  "prompt",
  "contents",
]);

/**
 * Members of `config` that are true or false. `multi_key`: the key holds several, one in each line.
 * `pass_cost_members`: members of a request that change the model or the price are passed on
 * although the gateway cannot charge for them. `allow_unknown_state`: requests may name stored
 * objects (earlier responses, files) that no call through the gateway created. `mark_prompt_cache`:
 * the gateway marks what Claude caches of a prompt, where the client marks nothing.
 */
export const channelFlags = [
  "multi_key",
  "pass_cost_members",
  "allow_unknown_state",
  "mark_prompt_cache",
] as const;
/**
 * The member of `config` that says whether usage which the provider reports is compared with what
 * was seen. Without it, the channel's addresses decide (official-hosts.ts).
 */
export const falseUsageMember = "may_report_false_usage";
/**
 * The member of `config` that says whether the provider learns the ids of the trace that a call
 * belongs to, while spans are sent. Without it, providers in UPSTREAM_PRIVATE_HOSTS do.
 */
export const traceContextMember = "send_trace_context";
/**
 * The member of `config` that says what the operator pays its provider, as a multiple of the list
 * prices of the models. Without it, only models with `buying_prices` in `model_configs` have a
 * known cost.
 */
export const buyingFactorMember = "buying_factor";
const factorMin = 0.000_001;
const factorMax = 1_000;
/** Millionths, as ratios of groups are. */
export const isBuyingFactor = (value: unknown): value is number =>
  typeof value === "number" && (value === 0 || (value >= factorMin && value <= factorMax));
/**
 * The member of `config` that multiplies the channel's prices per token, for what its provider adds
 * for the place of the channel. Without it, the factor that the provider's page states, or 1.
 */
export const regionFactorMember = "region_price_factor";
/** Bounds against a slip; providers add a tenth to a fifth. */
export const regionFactor = { min: 0.1, max: 10 } as const;
const regionFactorDecimals = 6;
export type ChannelFlag = (typeof channelFlags)[number];

/**
 * `known_state_ids`: ids of stored objects that every user of the channel may name, such as a
 * shared file.
 */
const knownIdsMax = 1_000;

const headersMax = 50;
const headerMax = 4_000;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** A header value is printable ASCII, so it has no line break. */
export const isHeaderValue = (value: string): boolean =>
  value.length <= headerMax && /^[\t\x20-\x7e]*$/.test(value);

/** Stands in replies for the value of a custom header, which is write-only. Sent back, it keeps the stored value. */
export const headerMask = "********";

/**
 * `isHeaderMask` also knows the masks of other consoles of the family: a row of asterisks is no
 * value.
 */
export const isHeaderMask = (value: unknown): boolean =>
  typeof value === "string" && /^\*{3,}$/.test(value);

export function findHeaderIssue(name: string, value: unknown): ChannelIssue | undefined {
  if (!headerName.test(name))
    return buildChannelIssue("header_name_invalid", { name: name.slice(0, 100) });
  if (fixedHeaders.has(name.toLowerCase())) return buildChannelIssue("header_fixed", { name });
  if (typeof value !== "string") return buildChannelIssue("header_not_text", { name });
  return isHeaderValue(value) ? undefined : buildChannelIssue("header_not_plain", { name });
}

export const findParameterIssue = (name: string): ChannelIssue | undefined =>
  fixedParameters.has(name) ? buildChannelIssue("parameter_fixed", { name }) : undefined;

/** The first issue in the overrides of a `config`. A text that is no JSON object has none. */
export function findOverridesIssue(config: string): ChannelIssue | undefined {
  const members = buildMembers(config);
  const { custom_headers: headers, param_override: parameters } = members;
  if (headers !== undefined) {
    if (!isJsonRecord(headers)) return buildChannelIssue("headers_not_object");
    const named = Object.entries(headers);
    if (named.length > headersMax)
      return buildChannelIssue("headers_too_many", { max: String(headersMax) });
    for (const [name, value] of named) {
      const issue = findHeaderIssue(name, value);
      if (issue !== undefined) return issue;
    }
  }
  if (parameters !== undefined) {
    if (!isJsonRecord(parameters)) return buildChannelIssue("parameters_not_object");
    for (const name of Object.keys(parameters)) {
      const issue = findParameterIssue(name);
      if (issue !== undefined) return issue;
    }
  }
  const wrong = [...channelFlags, falseUsageMember, traceContextMember].find(
    (name) => members[name] !== undefined && typeof members[name] !== "boolean",
  );
  if (wrong !== undefined) return buildChannelIssue("setting_not_boolean", { name: wrong });
  if (members[buyingFactorMember] !== undefined && !isBuyingFactor(members[buyingFactorMember]))
    return buildChannelIssue("setting_not_factor", {
      name: buyingFactorMember,
      max: String(factorMax),
    });
  const factor = members[regionFactorMember];
  if (factor !== undefined && !isRegionFactor(factor)) {
    const { min, max } = regionFactor;
    return buildChannelIssue("setting_not_region_factor", {
      name: regionFactorMember,
      min: String(min),
      max: String(max),
    });
  }
  const { known_state_ids: ids } = members;
  const isIdList =
    Array.isArray(ids) && ids.length <= knownIdsMax && ids.every((id) => typeof id === "string");
  return ids === undefined || isIdList
    ? undefined
    : buildChannelIssue("setting_not_ids", { name: "known_state_ids", max: String(knownIdsMax) });
}

/** `isRegionFactor` is about a `config`: one that another program wrote may hold anything. */
export const isRegionFactor = (value: unknown): value is number =>
  typeof value === "number" &&
  value >= regionFactor.min &&
  value <= regionFactor.max &&
  Number(value.toFixed(regionFactorDecimals)) === value;

function buildMembers(config: string): Record<string, unknown> {
  try {
    const members: unknown = JSON.parse(config);
    return isJsonRecord(members) ? members : {};
  } catch {
    return {};
  }
}
