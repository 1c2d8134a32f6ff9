/**
 * AWS Bedrock: Anthropic's models by their own API, all others by Converse, every request signed.
 */

import { isBedrockApiKey } from "../../catalogue/channels/channel-key.ts";
import type { AmazonKey } from "../../egress/amazon-signature.ts";
import type { ApiEndpoint, CallFormats } from "../formats/api-format.ts";
import type { AskedReply } from "../formats/call-parts.ts";
import { text } from "../wire/json-parts.ts";
import { signBedrockRequest } from "./aws-request-signature.ts";
import { converseEvents, invokeEvents } from "./bedrock-events.ts";
import { type EndpointUrls, joinUrl } from "./endpoint-urls.ts";
import { stripHeaders } from "./header-list.ts";
import { isClaude, listHostedBetas, stripMembers } from "./hosted-claude.ts";
import {
  InvalidChannelKey,
  type ProviderAdapter,
  type ProviderContext,
  type ProviderSettings,
  type UpstreamRequest,
} from "./provider.ts";

/** The API version, which Bedrock expects in the body. */
const claudeVersion = "bedrock-2023-05-31";

/** Names that do not follow the rule below. */
const irregularClaudeIds: Readonly<Record<string, string>> = {
  "claude-3-5-sonnet-20241022": "anthropic.claude-3-5-sonnet-20241022-v2:0",
  "claude-opus-4-6": "anthropic.claude-opus-4-6-v1",
};

/**
 * Bedrock's id of an Anthropic model, by the rule on Anthropic's page "Model IDs and versioning".
 * Bedrock serves most newer models only through an inference profile, which the channel has to
 * name.
 */
function composeClaudeId(model: string): string {
  if (!model.startsWith("claude-")) return model;
  return irregularClaudeIds[model] ?? `anthropic.${model}${/-\d{8}$/.test(model) ? "-v1:0" : ""}`;
}

/** Part of a host name, so nothing else is allowed. */
const regionName = /^[a-z0-9-]{1,40}$/;

/**
 * The endpoint of a model and its operation in the URL; `names` are the client's name and Bedrock's
 * id.
 */
function buildEndpointAndOperation(names: string): [endpoint: ApiEndpoint, operation: string] {
  if (names.split(" ").some(isClaude)) return ["claude_messages", "invoke"];
  return /embed/.test(names) ? ["bedrock_embeddings", "invoke"] : ["bedrock_converse", "converse"];
}

function buildEntries({ base, config, profiles }: ProviderSettings, model: string): EndpointUrls {
  const region = text(config.region);
  const host =
    base || (regionName.test(region) ? `https://bedrock-runtime.${region}.amazonaws.com` : "");
  const id = profiles.get(model) ?? composeClaudeId(model);
  const [endpoint, operation] = buildEndpointAndOperation(`${model} ${id}`);
  const url = joinUrl(host, `/model/${encodeURIComponent(id)}/${operation}`);
  return url ? { [endpoint]: url } : {};
}

/** An API key is sent as it is: alone or with its region, as the channel form joins them. */
function findApiKey(key: string): string | undefined {
  const [first = "", second = "", , ...more] = key.split("|");
  const apiKey = first === "" ? second : first;
  return isBedrockApiKey(apiKey) && more.length === 0 ? apiKey : undefined;
}

/**
 * `access key|secret key|region`, with a session token behind it for temporary keys. A region in
 * the settings, as in the URL, takes precedence.
 */
function parseKey(key: string, { config }: ProviderSettings): AmazonKey {
  const [accessKeyId = "", secretAccessKey = "", ownRegion = "", sessionToken, ...more] =
    key.split("|");
  const region = text(config.region) || ownRegion;
  const isWhole =
    /^\w+$/.test(accessKeyId) &&
    secretAccessKey !== "" &&
    regionName.test(region) &&
    more.length === 0;
  if (!isWhole || (sessionToken !== undefined && !/^[\w+/=.-]+$/.test(sessionToken))) {
    const shape = "ak|sk|region, or ak|sk|region|session token";
    throw new InvalidChannelKey(
      `the key of this channel must be an API key of Bedrock, or ${shape}`,
    );
  }
  return {
    accessKeyId,
    secretAccessKey,
    region,
    ...(sessionToken !== undefined && { sessionToken }),
  };
}

/**
 * Moves API version and beta flags from headers into the body, and the choice of streaming into the
 * URL.
 */
function buildInvocation(request: UpstreamRequest, { isStream }: AskedReply): UpstreamRequest {
  const betas = listHostedBetas(request.headers);
  const added = {
    anthropic_version: JSON.stringify(claudeVersion),
    ...(betas.length > 0 && { anthropic_beta: JSON.stringify(betas) }),
  };
  return {
    ...request,
    url: isStream ? new URL(`${request.url.href}-with-response-stream`) : request.url,
    headers: stripHeaders(
      request.headers,
      "anthropic-version",
      "anthropic-beta",
      "x-claude-code-session-id",
    ),
    body: stripMembers(request.body, ["model", "stream"], added),
  };
}

async function finish(
  request: UpstreamRequest,
  call: AskedReply & CallFormats,
  _model: string,
  { secret, settings, now }: ProviderContext,
) {
  const bearer = findApiKey(secret);
  const authenticate = async (unsigned: UpstreamRequest): Promise<UpstreamRequest> =>
    bearer === undefined
      ? await signBedrockRequest(unsigned, parseKey(secret, settings), now)
      : { ...unsigned, headers: [...unsigned.headers, "authorization", `Bearer ${bearer}`] };
  const isNative = call.upstream.endpoint === "claude_messages";
  const written = isNative ? buildInvocation(request, call) : request;
  if (!call.isStream) return await authenticate(written);
  const framing = isNative ? invokeEvents : converseEvents;
  const headers = [...stripHeaders(written.headers, "accept"), "accept", framing.contentType];
  return await authenticate({ ...written, headers, framing });
}

export const bedrock: ProviderAdapter = {
  endpoints: buildEntries,
  // `finish` signs the request, or adds the API key.
  credentials: () => [],
  cannotCount: true,
  finish,
};
