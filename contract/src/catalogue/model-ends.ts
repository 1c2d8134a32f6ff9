/** Models that their providers end: which of them are still offered here, and who calls them. */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { line, utcDay } from "../api/scalars.ts";

/** Over how many days calls count as use. */
export const modelEndUseDays = 14;
/** Ends that are farther away are not told yet. */
export const modelEndsToldDays = 365;

/**
 * `modelEndSources` are in the order in which they are asked: an administrator, the channel's own
 * provider, the list of the program.
 */
export const modelEndSources = ["operator", "provider", "list"] as const;
export type ModelEndSource = (typeof modelEndSources)[number];

const modelName = line(200).check(z.minLength(1));

export const modelEnd = z.object({
  /** `model` is as its provider names it. */
  model: z.string(),
  /** `2026-12-11`, in UTC. */
  ends_on: z.string(),
  source: z.enum(modelEndSources),
  /**
   * `replacement` is what its provider or an administrator recommends in its place; empty for
   * nothing.
   */
  replacement: z.string(),
  /** Until then; 0 or less once the day has come. */
  days_left: z.int(),
  /** Enabled channels that offer it, under any name. */
  channels: z.array(z.object({ id: z.int(), uuid: z.string(), name: z.string() })),
  /** Enabled virtual models with it among their targets. */
  virtual_models: z.array(z.string()),
  /** Calls of the last 14 days that it answered, and the users who made them. */
  calls: z.int(),
  users: z.int(),
});
export type ModelEnd = z.output<typeof modelEnd>;

const setModelFact = z.object({
  model: z.string(),
  /** null: it does not end. */
  ends_on: z.nullable(z.string()),
  replacement: z.string(),
});
export type SetModelFact = z.output<typeof setModelFact>;

export const listModelEnds = endpoint("GET", "/api/model_end/", {
  access: "admin",
  scope: "channels:read",
  summary:
    "Models on enabled channels whose providers end them within a year, or have ended them, with who uses them",
  data: z.array(modelEnd),
  extras: z.object({
    /** The source of the days of the list, and the day on which it was read. */
    source: z.string(),
    read_on: z.string(),
    /** `set` is what administrators said, of any model. */
    set: z.array(setModelFact),
  }),
});

export const sayModelEnd = endpoint("POST", "/api/model_end/", {
  access: "admin",
  scope: "channels:write",
  summary:
    "Say when a model ends, or that it does not: this goes before what its providers and the list say",
  body: z.object({
    /** `model` is as its provider names it. */
    model: modelName,
    /** null: it does not end. */
    ends_on: z.nullable(utcDay),
    replacement: z.optional(line(200)),
  }),
  data: setModelFact,
});

export const forgetModelEnd = endpoint("POST", "/api/model_end/forget", {
  access: "admin",
  scope: "channels:write",
  summary: "Forget what administrators said of a model's end",
  body: z.object({ model: modelName }),
});

const ownModelEnd = z.object({ model: z.string(), ends_on: z.string(), replacement: z.string() });
export type OwnModelEnd = z.output<typeof ownModelEnd>;

export const listOwnModelEnds = endpoint("GET", "/api/model_end/own", {
  access: "user",
  scope: "none",
  summary:
    "Models that the user's group may call and that end within a year, or have ended, by the names that clients use",
  data: z.array(ownModelEnd),
});
