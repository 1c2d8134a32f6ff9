/** Models that their providers end: which of them are still offered here, and who calls them. */
import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";

/** Over how many days calls count as use. */
export const modelEndUseDays = 14;
/** Ends that are farther away are not told yet. */
export const modelEndsToldDays = 365;

export const modelEnd = z.object({
  /** As its provider names it. */
  model: z.string(),
  /** `2026-12-11`, in UTC. */
  ends_on: z.string(),
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

export const listModelEnds = endpoint("GET", "/api/model_end/", {
  access: "admin",
  scope: "channels:read",
  summary: "Models on enabled channels whose providers end them within a year, or have ended them, with who uses them",
  data: z.array(modelEnd),
  /** Where the days are from, and when that was read. */
  extras: z.object({ source: z.string(), read_on: z.string() }),
});
