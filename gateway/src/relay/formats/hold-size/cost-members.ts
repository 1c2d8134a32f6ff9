/** The members of a request that choose a model or change the price, beside `model`. Pure. */
import { isRecord, type JsonRecord, record, text } from "../../wire/json-parts.ts";
import { isClientTool, readDeclaredTools } from "../declared-tools.ts";

/** `CostMember` is one such member whose value differs from what a provider does without it. */
export interface CostMember {
  /**
   * `name` is as the refusal names it: `service_tier`, or `tools.model` for a model that a tool
   * runs.
   */
  name: string;
  /** The value, where it is one word. */
  value: string | undefined;
}

export interface CostMembers {
  members: readonly CostMember[];
  /** Every model that these members name: the API key must be allowed to use them. */
  models: readonly string[];
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

/**
 * Words for the listed price. `auto` leaves the choice to the provider, whose reply says what it
 * served.
 */
const listedTiers = new Set([
  "auto",
  "default",
  "standard",
  "standard_only",
  "on_demand",
  "unspecified",
]);

/** Google spells its enumerations out: `SERVICE_TIER_FLEX`. */
export const formatTierName = (value: string): string =>
  value.toLowerCase().replace(/^service_tier_/, "");

const isListedTier = (value: unknown): boolean =>
  typeof value === "string" && listedTiers.has(formatTierName(value));
/** `isListedSpeed` takes any number: of speech, `speed` is one and costs nothing. */
const isListedSpeed = (value: unknown): boolean =>
  typeof value === "number" || value === "standard";
const isListedRegion = (value: unknown): boolean => value === "global";
/**
 * `choosesHost` are the only members of OpenRouter's `provider` that choose hosts by their price;
 * the others narrow the choice.
 */
const choosesHost = ["order", "only", "sort"];
const choosesNoHost = (value: unknown): boolean =>
  isRecord(value) && choosesHost.every((name) => isEmpty(value[name]));
const isSearchOff = (value: unknown): boolean => record(value).mode === "off";
/** OpenAI's programs of access are rights of the operator's organisation. */
const isListedAccess = (value: unknown): boolean =>
  isRecord(value) &&
  Object.values(value).every((program) => isEmpty(program) || program === "standard");
/** OpenAI moderates for nothing with these models; of pictures, the member is a word. */
const isFreeModeration = (value: unknown): boolean =>
  typeof value === "string" || /^(?:omni|text)-moderation/.test(text(record(value).model));
/** Anthropic bills the organisation of the key, unless the request names another party. */
const isOwnBill = (value: unknown): boolean =>
  isRecord(value) && (isEmpty(value.bill_to) || value.bill_to === "self");
/** OpenAI's listed price of a cache write is for half an hour. */
const isListedCache = (value: unknown): boolean =>
  isRecord(value) && (isEmpty(value.ttl) || value.ttl === "30m");
/** OpenAI has vectors written by a language model whose tokens are in no usage. */
const isPixels = (value: unknown): boolean => value !== "svg";

interface WatchedMember {
  name: string;
  /** Other spellings of the name. */
  alias?: string;
  /**
   * `isListed` says whether the value changes nothing; nothing but an empty value does where this
   * is missing.
   */
  isListed?(value: unknown): boolean;
}

const watched: readonly WatchedMember[] = [
  { name: "models" },
  { name: "route" },
  { name: "fallbacks" },
  { name: "plugins" },
  { name: "preset" },
  { name: "provider", isListed: choosesNoHost },
  { name: "service_tier", alias: "serviceTier", isListed: isListedTier },
  { name: "speed", isListed: isListedSpeed },
  { name: "inference_geo", isListed: isListedRegion },
  { name: "web_search_options" },
  { name: "search_parameters", isListed: isSearchOff },
  { name: "enable_search" },
  { name: "access_programs", isListed: isListedAccess },
  { name: "moderation", isListed: isFreeModeration },
  { name: "billing_policy", isListed: isOwnBill },
  { name: "prompt_cache_options", isListed: isListedCache },
  { name: "output_format", isListed: isPixels },
];

export const watchedMembers: readonly string[] = watched.map(({ name }) => name);

/** A request may have a member in both spellings, with different values. */
const spellings = watched.flatMap(({ name, alias, isListed }) =>
  [name, ...(alias === undefined ? [] : [alias])].map((spelled) => ({ name, spelled, isListed })),
);
export const costMemberSpellings: readonly string[] = spellings.map(({ spelled }) => spelled);

/** Undefined for nearly every request: it has none. */
export function findCostMembers(json: unknown): CostMembers | undefined {
  if (!isRecord(json)) return undefined;
  const members: CostMember[] = [];
  const models = new Set<string>();
  for (const { name, spelled, isListed } of spellings) {
    const value = json[spelled];
    if (isEmpty(value) || isListed?.(value)) continue;
    members.push({ name, value: typeof value === "string" ? formatTierName(value) : undefined });
    if (name === "models" || name === "fallbacks") addStrings(value, models);
    else addNamedModels(value, models);
  }
  const tools = readDeclaredTools(json);
  for (const model of collectToolModels(tools)) {
    models.add(model);
    if (model !== json.model) members.push({ name: "tools.model", value: model });
  }
  for (const name of collectUnpricedTools(tools))
    members.push({ name: `tools.${name}`, value: undefined });
  for (const [name, value] of listRouters(json)) {
    members.push({ name, value: undefined });
    addNamedModels(value, models);
  }
  return members.length > 0 ? { members, models: [...models] } : undefined;
}

/**
 * Tools that Google names by a member, and whose price is known: their tokens, or the fees of
 * docs/usage.md.
 */
const pricedTools = new Set(
  [
    ...[
      "functionDeclarations",
      "googleSearch",
      "googleSearchRetrieval",
      "googleMaps",
      "codeExecution",
      "urlContext",
    ],
    // What these read is the operator's, and named in the configuration of the channel.
    ...["computerUse", "fileSearch", "retrieval", "mcpServers"],
  ].flatMap((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
);
/**
 * `broughtAlong` costs the operator nothing: a search of another company, with a key of the
 * client's own.
 */
const broughtAlong = /^(?:exaAiSearch|exa_ai_search|parallelAiSearch|parallel_ai_search)$/;

function collectUnpricedTools(tools: readonly JsonRecord[]): Set<string> {
  const names = new Set<string>();
  for (const tool of tools) {
    if (tool.output_format === "svg" && !isClientTool(tool)) names.add("output_format");
    if (["type", "name", "function"].some((member) => tool[member] !== undefined)) continue;
    for (const [name, value] of Object.entries(tool)) {
      const { apiKey, api_key } = record(value);
      const isPaidByClient = broughtAlong.test(name) && text(apiKey ?? api_key) !== "";
      if (isRecord(value) && !pricedTools.has(name) && !isPaidByClient) names.add(name);
    }
  }
  return names;
}

const routers = [
  "routingConfig",
  "routing_config",
  "modelConfig",
  "model_config",
  "modelSelectionConfig",
  "model_selection_config",
];

/** Vertex AI chooses another model by these. */
function listRouters({ generationConfig, generation_config }: JsonRecord): [string, unknown][] {
  return [record(generationConfig), record(generation_config)].flatMap((config) =>
    routers
      .filter((name) => !isEmpty(config[name]))
      .map((name): [string, unknown] => [`generationConfig.${name}`, config[name]]),
  );
}

/**
 * Models that tools of the provider run. Tools of the client run none, and their schemas may
 * describe a field `model`.
 */
function collectToolModels(tools: readonly JsonRecord[]): Set<string> {
  const models = new Set<string>();
  for (const tool of tools) if (!isClientTool(tool)) addNamedModels(tool, models);
  return models;
}

/**
 * Members whose value describes data: names in it are those of fields, and a provider runs none of
 * them.
 */
const schemaMembers = new Set([
  ...[
    "input_schema",
    "output_schema",
    "outputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
  ],
  ...["format", "schema", "json_schema", "properties", "patternProperties", "$defs", "definitions"],
]);

/** Lists of models hold names, or objects with names at any depth. */
function addStrings(value: unknown, models: Set<string>): void {
  if (typeof value === "string") models.add(value);
  else for (const part of Object.values(value ?? {})) addStrings(part, models);
}

function addNamedModels(value: unknown, models: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    if (name === "model" || name === "models" || name === "modelName" || name === "model_name")
      addStrings(part, models);
    else if (!schemaMembers.has(name)) addNamedModels(part, models);
  }
}
