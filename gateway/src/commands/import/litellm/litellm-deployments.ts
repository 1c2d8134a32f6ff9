/**
 * Deployments of LiteLLM as channels. Those with the same provider, address and credential are one
 * channel, unless they give one name or one upstream model two meanings. Pure.
 */

import { createHash } from "node:crypto";
import { channelTypeIds as ids, requiresKey } from "@tollgate/contract/catalogue/channel-types.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { isModelPattern } from "@tollgate/contract/catalogue/model-patterns.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import type { Loss, Reading, SourceChannel } from "../import-items.ts";
import { buildNestedObject, saysSomething } from "./litellm-fields.ts";
import { type LitellmModelConfig, readLitellmPrice } from "./litellm-prices.ts";
import { findChannelType, findProvider, readKeyVariable } from "./litellm-providers.ts";

export interface LitellmDeployment {
  id: string;
  /** `publicName` is what clients ask for. */
  publicName: string;
  /** `litellm_params`, in clear. */
  params: Readonly<Record<string, unknown>>;
  /** `model_info`, which may hold prices too. */
  info: Readonly<Record<string, unknown>>;
  isBlocked: boolean;
}

export interface DeploymentContext {
  /** The environment that LiteLLM runs with, as far as it is known. */
  environment(name: string): string | undefined;
  /** Stored credentials by name, in clear. */
  credentials: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

/** `Destination` is what deployments of one channel share. */
interface Destination {
  type: number;
  baseUrl: string;
  key: string;
  config: Readonly<Record<string, unknown>>;
  priority: number;
  weight: number;
  isEnabled: boolean;
}

interface PlacedDeployment {
  id: string;
  publicName: string;
  upstreamName: string;
  provider: string;
  destination: Destination;
  price: LitellmModelConfig | undefined;
  losses: readonly Loss[];
}

const nameMax = 100;
const reference = /^os\.environ\/(\w{1,200})$/;
/** The variable that a text names in place of a value. */
export const findEnvironmentReference = (text: string): string | undefined =>
  reference.exec(text.trim())?.[1];
/** Members that a channel has, or that are read elsewhere. */
const understoodMembers: ReadonlySet<string> = new Set([
  ...[
    "model",
    "custom_llm_provider",
    "api_key",
    "api_base",
    "base_url",
    "api_version",
    "organization",
    "extra_headers",
  ],
  ...[
    "order",
    "weight",
    "litellm_credential_name",
    "aws_access_key_id",
    "aws_secret_access_key",
    "aws_session_token",
  ],
  ...[
    "aws_region_name",
    "vertex_project",
    "vertex_location",
    "vertex_credentials",
    "id",
    "db_model",
    "use_in_pass_through",
  ],
]);

interface GroupedDeployments {
  channels: readonly (readonly [sourceId: string, deployments: readonly PlacedDeployment[]])[];
  left: readonly Reading<SourceChannel>[];
}

export function listChannelsOfDeployments(
  deployments: readonly LitellmDeployment[],
  context: DeploymentContext,
): Reading<SourceChannel>[] {
  const { channels, left } = groupDeployments(deployments, context);
  return [...channels.map(([sourceId, placed]) => buildChannel(sourceId, placed)), ...left];
}

/**
 * `collectChannelIdsOfDeployments` gives, by the id of a deployment, the source's id of its
 * channel.
 */
export const collectChannelIdsOfDeployments = (
  deployments: readonly LitellmDeployment[],
  context: DeploymentContext,
): ReadonlyMap<string, string> =>
  new Map(
    groupDeployments(deployments, context).channels.flatMap(([sourceId, placed]) =>
      placed.map(({ id }) => [id, sourceId] as const),
    ),
  );

/**
 * `lacksVariables` says whether a deployment cannot be told from another one, because a variable of
 * it is not known.
 */
export const lacksVariables = (
  deployments: readonly LitellmDeployment[],
  context: DeploymentContext,
): boolean =>
  groupDeployments(deployments, context).left.some(({ losses }) =>
    losses.some(({ reason }) => reason === "environment_missing"),
  );

function groupDeployments(
  deployments: readonly LitellmDeployment[],
  context: DeploymentContext,
): GroupedDeployments {
  const left: Reading<SourceChannel>[] = [];
  const channels = new Map<string, PlacedDeployment[][]>();
  for (const deployment of deployments) {
    const placed = place(deployment, context);
    if ("item" in placed) {
      left.push(placed);
      continue;
    }
    const identity = digestDestination(placed.destination);
    const siblings = channels.get(identity) ?? [];
    channels.set(identity, siblings);
    const fitting = siblings.find((channel) =>
      channel.every((other) => !contradicts(placed, other)),
    );
    if (fitting) fitting.push(placed);
    else siblings.push([placed]);
  }
  const carried = [...channels].flatMap(([identity, siblings]) =>
    siblings.map(
      (channel, index) => [index === 0 ? identity : `${identity}-${index + 1}`, channel] as const,
    ),
  );
  return { channels: carried, left };
}

/** Keys of providers are random: a part of their hash reveals nothing. */
const digestDestination = (destination: Destination): string =>
  createHash("sha256").update(JSON.stringify(destination)).digest("hex").slice(0, 16);

const contradicts = (a: PlacedDeployment, b: PlacedDeployment): boolean =>
  (a.publicName === b.publicName && a.upstreamName !== b.upstreamName) ||
  (a.upstreamName === b.upstreamName && JSON.stringify(a.price) !== JSON.stringify(b.price));

function place(
  { id, publicName, params, info, isBlocked }: LitellmDeployment,
  { environment, credentials }: DeploymentContext,
): PlacedDeployment | Reading<SourceChannel> {
  const losses: Loss[] = [];
  const lose = (reason: ImportLossReason, field: string, value = "") => {
    losses.push({ entity: "channel", sourceId: id, name: publicName, field, reason, value });
  };
  const leave = (reason: ImportLossReason, field: string, value = ""): Reading<SourceChannel> => {
    lose(reason, field, value);
    return { sourceId: id, item: undefined, losses };
  };
  const credential = credentials.get(String(params.litellm_credential_name ?? "")) ?? {};
  const members: Readonly<Record<string, unknown>> = { ...credential, ...params };
  const missing: string[] = [];
  const resolved = (value: unknown): string => {
    if (typeof value !== "string" && typeof value !== "number") return "";
    const variable = findEnvironmentReference(String(value));
    if (variable === undefined) return String(value).trim();
    const found = environment(variable);
    if (found === undefined) missing.push(variable);
    return found?.trim() ?? "";
  };
  const member = (name: string): string => resolved(members[name]);

  const named = findProvider(member("model"), member("custom_llm_provider"));
  if (!isCarriedPattern(publicName, named?.model ?? ""))
    return leave("model_pattern_channel", "model_name");
  if (publicName === "" || publicName.includes(",")) return leave("row_unreadable", "model_name");
  if (!named) return leave("channel_type_unserved", "model", member("model"));
  const { provider } = named;
  const baseUrl = (
    member("api_base") ||
    member("base_url") ||
    readBaseInEnvironment(provider, environment)
  ).replace(/\/+$/, "");
  const type = findChannelType(provider, baseUrl);
  if (type === undefined) return leave("channel_type_unserved", "model", provider);
  const key = composeKey(type, provider, member, environment);
  const config = buildConfig(type, member, buildNestedObject(members.extra_headers), resolved);
  if (missing.length > 0)
    return leave("environment_missing", "litellm_params", [...new Set(missing)].join(", "));
  if (key === "" && requiresKey(type))
    return leave("environment_missing", "api_key", readKeyVariable(provider));
  const isOfTeam = typeof info.team_id === "string" && info.team_id !== "";
  if (isOfTeam) lose("channel_of_team", "team_id");

  const others = Object.entries(params)
    .filter(
      ([name, value]) =>
        statesSomething(value) && !understoodMembers.has(name) && !/_cost/.test(name),
    )
    .map(([name]) => name);
  if (others.length > 0) lose("setting_not_served", "litellm_params", others.join(", "));
  const { config: price, unread } = readLitellmPrice({ ...info, ...params });
  if (unread.length > 0) lose("price_member_not_read", publicName, unread.join(", "));
  if (!price) lose("price_missing", "models", publicName);
  return {
    id,
    publicName,
    upstreamName: formatUpstreamName(type, named.model),
    provider,
    price,
    losses,
    destination: {
      type,
      baseUrl,
      key,
      config,
      priority: -computeWhole(members.order),
      weight: Math.max(0, computeWhole(members.weight)),
      isEnabled: !isBlocked && !isOfTeam,
    },
  };
}

/** `statesSomething` is false of what LiteLLM writes into every row although nobody set it. */
const statesSomething = (value: unknown): boolean =>
  value !== undefined &&
  value !== false &&
  saysSomething(typeof value === "string" ? value : JSON.stringify(value));

const computeWhole = (value: unknown): number => {
  const number = Math.round(Number(value ?? 0));
  return Number.isSafeInteger(number) ? number : 0;
};

/**
 * Names without a star, and patterns that a channel can hold: a beginning for all that begins so,
 * under one beginning at the provider.
 */
const isCarriedPattern = (publicName: string, upstream: string): boolean => {
  const isPattern = isModelPattern(publicName);
  if (!isPattern && publicName.includes("*")) return false;
  return upstream.includes("*") ? isPattern && upstream.indexOf("*") === upstream.length - 1 : true;
};

/** Bedrock's names may begin with the API that LiteLLM uses for them. */
const formatUpstreamName = (type: number, model: string): string =>
  type === ids.bedrock ? model.replace(/^(converse|invoke|converse_like)\//, "") : model;

const readBaseInEnvironment = (
  provider: string,
  environment: DeploymentContext["environment"],
): string =>
  provider === "azure" || provider === "openai"
    ? (environment(`${provider.toUpperCase()}_API_BASE`) ??
      environment(`${provider.toUpperCase()}_BASE_URL`) ??
      "")
    : "";

function composeKey(
  type: number,
  provider: string,
  member: (name: string) => string,
  environment: DeploymentContext["environment"],
): string {
  if (type === ids.bedrock) {
    const [id, secret, region, session] = [
      member("aws_access_key_id") || environment("AWS_ACCESS_KEY_ID"),
      member("aws_secret_access_key") || environment("AWS_SECRET_ACCESS_KEY"),
      member("aws_region_name") || environment("AWS_REGION_NAME") || environment("AWS_REGION"),
      member("aws_session_token"),
    ];
    if (member("api_key") !== "") return `${member("api_key")}|${region ?? ""}`;
    return id && secret && region
      ? [id, secret, region, ...(session ? [session] : [])].join("|")
      : "";
  }
  if (type === ids.vertex) {
    const account = buildNestedObject(
      member("vertex_credentials") || environment("GOOGLE_APPLICATION_CREDENTIALS_JSON") || "",
    );
    if (Object.keys(account).length === 0) return "";
    const project = member("vertex_project") || String(account.project_id ?? "");
    return `${member("vertex_location") || "us-central1"}|${project}|${JSON.stringify(account)}`;
  }
  return member("api_key") || (environment(readKeyVariable(provider)) ?? "");
}

function buildConfig(
  type: number,
  member: (name: string) => string,
  extraHeaders: Readonly<Record<string, unknown>>,
  resolved: (value: unknown) => string,
): Readonly<Record<string, unknown>> {
  const headers = Object.entries(extraHeaders).map(([name, value]) => [name, resolved(value)]);
  if (member("organization") !== "") headers.push(["OpenAI-Organization", member("organization")]);
  return {
    ...(type === ids.azure &&
      member("api_version") !== "" && { api_version: member("api_version") }),
    ...(headers.length > 0 && { custom_headers: Object.fromEntries(headers) }),
  };
}

const readHost = (url: string): string => URL.parse(url)?.host ?? url;

function buildChannel(
  sourceId: string,
  deployments: readonly PlacedDeployment[],
): Reading<SourceChannel> {
  const [first] = deployments;
  const losses = deployments.flatMap((deployment) => deployment.losses);
  if (!first) return { sourceId, item: undefined, losses };
  const { destination, provider } = first;
  const mapping = Object.fromEntries(
    deployments
      .filter(({ publicName, upstreamName }) => publicName !== upstreamName)
      .map(({ publicName, upstreamName }) => [publicName, upstreamName]),
  );
  const configs = Object.fromEntries(
    deployments.flatMap(({ upstreamName, price }) => (price ? [[upstreamName, price]] : [])),
  );
  const host = destination.baseUrl === "" ? "" : ` ${readHost(destination.baseUrl)}`;
  const item: SourceChannel = {
    input: {
      name: `${provider}${host} ${sourceId.slice(0, 4)}`.slice(0, nameMax),
      type: destination.type,
      key: destination.key,
      ...(destination.baseUrl !== "" && { base_url: destination.baseUrl }),
      models: [...new Set(deployments.map(({ publicName }) => publicName))].join(","),
      group: "default",
      priority: destination.priority,
      weight: destination.weight,
      ...(Object.keys(mapping).length > 0 && { model_mapping: JSON.stringify(mapping) }),
      ...(Object.keys(destination.config).length > 0 && {
        config: JSON.stringify(destination.config),
      }),
      ...(Object.keys(configs).length > 0 && { model_configs: JSON.stringify(configs) }),
    },
    status: destination.isEnabled ? channelStatus.enabled : channelStatus.disabled,
    usedQuota: 0,
    keyStatuses: new Map(),
    createdAtMs: undefined,
  };
  return { sourceId, item, losses };
}
