/**
 * The status page: how the models that a caller may use have fared, without what a call was, whose
 * it was or which channel served it.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { unixMillis } from "../api/scalars.ts";

/** `quiet`: too few calls lately to say. */
export const serviceStates = ["ok", "degraded", "down", "quiet"] as const;
export type ServiceState = (typeof serviceStates)[number];

const healthDay = z.object({
  /**
   * Per cent of calls that did not fail; null on a day without calls. How many calls there were is
   * not told.
   */
  success_rate: z.nullable(z.number()),
  /** Median milliseconds of calls that did not fail. */
  latency_ms: z.nullable(z.int()),
});

const modelHealth = z.object({
  model: z.string(),
  state: z.enum(serviceStates),
  /** `success_rate` is that of all days together. */
  success_rate: z.nullable(z.number()),
  latency_ms: z.nullable(z.int()),
  /** `days` are one for each UTC day from `first_day` on, the last of them today. */
  days: z.array(healthDay),
});
export type ModelHealth = z.output<typeof modelHealth>;

/** Hours in which most calls to a model failed. */
const healthIncident = z.object({
  model: z.string(),
  from: unixMillis,
  /** The end of the last such hour; null while it goes on. */
  to: z.nullable(unixMillis),
});

export const serviceHealth = z.object({
  first_day: z.string(),
  /** `models` go by name. */
  models: z.array(modelHealth),
  /** `incidents` are those of the last week, newest first. */
  incidents: z.array(healthIncident),
});
export type ServiceHealth = z.output<typeof serviceHealth>;

export const getServiceHealth = endpoint("GET", "/api/service_health", {
  access: "public",
  scope: "none",
  summary: "The status page: models with their health of 90 days, as far as the operator shows it",
  data: serviceHealth,
  beforePasswordChange: true,
});
