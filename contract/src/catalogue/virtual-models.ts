/**
 * Virtual models: names that stand for tiers of real models. The router chooses a target by the
 * strategy of the first tier, and goes on to the next tier where no target of the tier before can
 * answer.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { bodyReference, byId, isNamed, namedExplanation } from "../api/ids.ts";
import { count, unixMillis } from "../api/scalars.ts";

/** Enough for each model of a large catalogue; the router keeps all of them in memory. */
export const virtualModelsMax = 500;
export const tiersMax = 3;
export const targetsMax = 10;
export const weightMax = 1_000_000;

/**
 * `tierStrategies` go by drawn weights, by the estimate of the call, by the time to the first
 * content, by running calls over weight.
 */
export const tierStrategies = ["weights", "cheapest", "fastest", "least_busy"] as const;
export type TierStrategy = (typeof tierStrategies)[number];

/**
 * `stickyKinds` says whose calls stay with one target where weights are drawn: none, those of a
 * conversation, of a user, of an API key.
 */
export const stickyKinds = ["none", "conversation", "user", "key"] as const;
export type StickyKind = (typeof stickyKinds)[number];

/**
 * `virtualModelAccess` says which names the model list of an API key must hold: the virtual one, or
 * every target.
 */
export const virtualModelAccess = ["name", "targets"] as const;
export type VirtualModelAccess = (typeof virtualModelAccess)[number];

/**
 * Lists of models are joined with commas, so that a name with one could never be allowed to a key.
 */
const modelName = z.string().check(
  z.minLength(1, makeAboutField("is required")),
  z.maxLength(100),
  z.regex(/^[^\p{Cc},]*$/u, makeAboutField("must not contain commas or control characters")),
  z.refine((name) => name.trim() === name, makeAboutField("must not begin or end with a space")),
);

const target = z.object({
  model: modelName,
  /** Calls in proportion to the other weights of the tier; 0 serves where no other target can. */
  weight: z.int().check(z.minimum(0), z.maximum(weightMax)),
});
export type VirtualModelTarget = z.output<typeof target>;

const tier = z.object({
  strategy: z.enum(tierStrategies),
  targets: z
    .array(target)
    .check(z.minLength(1, makeAboutField("needs a model")), z.maxLength(targetsMax)),
});
export type VirtualModelTier = z.output<typeof tier>;

const tiers = z.array(tier).check(
  z.minLength(1, makeAboutField("needs a tier")),
  z.maxLength(tiersMax),
  z.refine((all) => {
    const names = all.flatMap(({ targets }) => targets.map(({ model }) => model));
    return new Set(names).size === names.length;
  }, makeAboutField("must name each model once")),
);

/** `virtualModelRules` are what the router reads. */
export const virtualModelRules = z.object({
  tiers,
  sticky: z.enum(stickyKinds),
  access: z.enum(virtualModelAccess),
  /** A target's refusal of the content goes to the next target, as failures do. */
  retries_refused_content: z.boolean(),
});
export type VirtualModelRules = z.output<typeof virtualModelRules>;

export const virtualModel = z.object({
  id: z.int(),
  uuid: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  /** Channels serve a model of the same name: calls to it go to the targets instead. */
  replaces_model: z.boolean(),
  ...virtualModelRules.shape,
  /** Targets that no enabled channel serves. */
  unserved: z.array(z.string()),
  /** The configuration file that it belongs to; empty for one that was made in the console. */
  managed_by: z.string(),
  created_at: unixMillis,
  updated_at: unixMillis,
});
export type VirtualModel = z.output<typeof virtualModel>;

export const virtualModelInput = z.object({
  name: modelName,
  enabled: z._default(z.boolean(), true),
  /** Needed where channels serve a model of this name. */
  replaces_model: z._default(z.boolean(), false),
  tiers,
  sticky: z._default(z.enum(stickyKinds), "conversation"),
  access: z._default(z.enum(virtualModelAccess), "name"),
  retries_refused_content: z._default(z.boolean(), false),
});
export type VirtualModelInput = z.output<typeof virtualModelInput>;

const changeable = {
  enabled: z.optional(z.boolean()),
  replaces_model: z.optional(z.boolean()),
  tiers: z.optional(tiers),
  sticky: z.optional(z.enum(stickyKinds)),
  access: z.optional(z.enum(virtualModelAccess)),
  retries_refused_content: z.optional(z.boolean()),
};

/**
 * `virtualModelByName` asks only the first request for the members that a new one needs. A missing
 * member keeps its value.
 */
export const virtualModelByName = z.object(changeable);
export type VirtualModelByName = z.output<typeof virtualModelByName>;

/** A missing member keeps its value. */
export const virtualModelChange = z
  .object({
    ...bodyReference,
    name: z.optional(modelName),
    ...changeable,
    /** Takes it over from its configuration file. */
    managed_by: z.optional(z.literal("")),
    /** The version that the form read; refused when it is older than the stored one. */
    updated_at: z.optional(unixMillis),
  })
  .check(z.refine(isNamed, namedExplanation));
export type VirtualModelChange = z.output<typeof virtualModelChange>;

export const listVirtualModels = endpoint("GET", "/api/virtual_model/", {
  access: "admin",
  scope: "channels:read",
  summary: "All virtual models by name, or the one of a name",
  query: z.object({ name: z.optional(modelName) }),
  data: z.array(virtualModel),
});

export const getVirtualModel = endpoint("GET", "/api/virtual_model/:id", {
  access: "admin",
  scope: "channels:read",
  summary: "One virtual model",
  params: byId,
  data: virtualModel,
});

export const createVirtualModel = endpoint("POST", "/api/virtual_model/", {
  access: "admin",
  scope: "channels:write",
  summary: "Create a virtual model",
  body: virtualModelInput,
  data: virtualModel,
});

export const updateVirtualModel = endpoint("PUT", "/api/virtual_model/", {
  access: "admin",
  scope: "channels:write",
  summary: "Change a virtual model; the next call obeys it",
  body: virtualModelChange,
  data: virtualModel,
});

export const putVirtualModel = endpoint("PUT", "/api/virtual_model/by-name/:name", {
  access: "admin",
  scope: "channels:write",
  summary: "Create the virtual model of this name, or change it; a repetition changes nothing",
  params: z.object({ name: modelName }),
  body: virtualModelByName,
  data: virtualModel,
});

export const deleteVirtualModel = endpoint("DELETE", "/api/virtual_model/:id", {
  access: "admin",
  scope: "channels:write",
  summary:
    "Delete a virtual model: calls to its name go to channels that serve a model of this name, if there are any",
  params: byId,
});

/**
 * `virtualModelUsageHours` are what calls to the name became: of the newest log rows of the server,
 * so that its cost does not grow with the log.
 */
export const virtualModelUsageHours = 24;
export const virtualModelUsageRows = 20_000;

const targetUsage = z.object({
  /** The model that answered, or that was tried last. */
  model: z.string(),
  calls: count,
  /**
   * Calls that ended with an error, and calls that the model answered after another attempt had
   * failed.
   */
  failures: count,
  after_failure: count,
  /** The average in milliseconds; null before the first content was measured. */
  first_content_ms: z.nullable(count),
  tokens: count,
  /** Units. */
  quota: count,
});
export type TargetUsage = z.output<typeof targetUsage>;

export const getVirtualModelUsage = endpoint("GET", "/api/virtual_model/:id/usage", {
  access: "admin",
  scope: "logs:read",
  summary:
    "Calls to a virtual model in the last 24 hours by the model that answered, among the newest 20,000 log rows",
  params: byId,
  data: z.array(targetUsage),
});
