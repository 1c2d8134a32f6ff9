/**
 * Runs of agents: the calls that name the same session, as one thing, with what it cost and a way
 * to stop it.
 */
import * as z from "zod/mini";
import { budgetMeasures } from "../accounts/budget-kinds.ts";
import { teamFilter } from "../accounts/team-filter.ts";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { entityId, reference } from "../api/ids.ts";
import { listExtras, pageFields } from "../api/page.ts";
import { queryFlag, unixMillis } from "../api/scalars.ts";

/** A run without a call for this long is over; its agent may still continue it. */
export const runOpenMs = 24 * 60 * 60_000;
/** Points of the line of costs. */
export const runStepsMax = 60;

/**
 * `runName` is the gateway's own name of a run, made of the client's, the account and a secret of
 * the site.
 */
export const runName = z
  .string()
  .check(z.regex(/^[\w-]{22}$/, makeAboutField("must be the name of a run")));

/** Sums are of all its calls. Quota is in units: 500,000 to the dollar. */
export const run = z.object({
  run: z.string(),
  user_id: z.int(),
  /** Empty for an account that is gone. */
  username: z.string(),
  /** The team that pays for it; 0 where the account does. */
  team_id: z.int(),
  /** The API key of its first call; 0 and empty for one that is gone. */
  token_id: z.int(),
  token_name: z.string(),
  /** `Claude Code`, `Codex` and others; empty for an agent that is not known. */
  agent: z.string(),
  first_call_at: unixMillis,
  last_call_at: unixMillis,
  /** Its calls are refused until it is continued; null otherwise. */
  stopped_at: z.nullable(unixMillis),
  calls: z.int(),
  failures: z.int(),
  /** Calls that needed another attempt. */
  retries: z.int(),
  quota: z.int(),
  prompt_tokens: z.int(),
  cached_prompt_tokens: z.int(),
  cache_write_tokens: z.int(),
  completion_tokens: z.int(),
  /** Milliseconds of all calls until the first content of their answers. */
  waiting_ms: z.int(),
  /** Milliseconds of all calls after it. */
  generating_ms: z.int(),
});
export type Run = z.output<typeof run>;

const runPart = z.object({
  name: z.string(),
  calls: z.int(),
  failures: z.int(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
});
export type RunPart = z.output<typeof runPart>;

const runDetails = z.extend(run, {
  /** `models` hold those that cost most first. */
  models: z.array(runPart),
  /**
   * `tools` are those that the requests of the agent show, the ones that ran most first. They cost
   * nothing by themselves.
   */
  tools: z.array(runPart),
  /**
   * `costs` are what the run had cost up to each moment. Empty where it has more calls than are
   * read for it, or their rows are deleted.
   */
  costs: z.array(z.object({ at: unixMillis, quota: z.int(), calls: z.int() })),
  /** The budgets that count this run by itself. */
  budgets: z.array(
    z.object({
      ...{ id: z.int(), name: z.string(), hard: z.boolean() },
      /** `measure` says what the sums count. */
      measure: z.enum(budgetMeasures),
      ...{ amount: z.int(), spent: z.int(), held: z.int() },
    }),
  ),
});
export type RunDetails = z.output<typeof runDetails>;

const byRun = z.object({ run: runName });
const runFilter = {
  ...pageFields,
  /** `open` holds those with a call in the last 24 hours alone. */
  open: z.optional(queryFlag),
};

export const listRuns = endpoint("GET", "/api/run/", {
  access: "admin",
  scope: "logs:read",
  summary: "Runs of agents of all users, those with the latest call first",
  query: z.object({ ...runFilter, user_id: z.optional(reference) }),
  data: z.array(run),
  extras: listExtras,
});

export const listOwnRuns = endpoint("GET", "/api/run/self", {
  access: "user",
  scope: "logs:read",
  inTeam: true,
  summary: "Runs of the caller's agents, or of a team's, those with the latest call first",
  query: z.object({ ...runFilter, ...teamFilter }),
  data: z.array(run),
  extras: listExtras,
});

export const getRun = endpoint("GET", "/api/run/:run", {
  access: "user",
  scope: "logs:read",
  inTeam: true,
  summary:
    "One run of an agent: its models, tools, cost over time and budgets; of others for administrators alone",
  params: byRun,
  data: runDetails,
});

export const stopRun = endpoint("POST", "/api/run/:run/stop", {
  access: "user",
  scope: "tokens:write",
  summary: "Refuse every further call of a run, until it is continued",
  params: byRun,
  data: run,
});

export const continueRun = endpoint("POST", "/api/run/:run/continue", {
  access: "user",
  scope: "tokens:write",
  summary: "Let a run that was stopped make calls again",
  params: byRun,
  data: run,
});

export const stopRuns = endpoint("POST", "/api/run/stop", {
  access: "user",
  scope: "tokens:write",
  summary: "Stop every run of an API key, or of an account, that had a call in the last 24 hours",
  body: z.object({ token_id: z.optional(entityId), user_id: z.optional(entityId) }).check(
    z.refine(({ token_id, user_id }) => (token_id === undefined) !== (user_id === undefined), {
      ...makeAboutField("names the key, or user_id the account: one of them"),
      path: ["token_id"],
    }),
  ),
  data: z.object({ stopped: z.int() }),
});
