/**
 * The catalogue of models that Codex asks for at `/v1/models?client_version=…`. It adds the entries
 * to those that it brings along, and an entry of a name that it knows would replace its better one;
 * a single entry that it cannot read spoils the list. Tried with 0.171.0. Pure.
 */

import type { ChannelPrice } from "../routing/channel-table.ts";
import { listAcceptedEfforts } from "../value-rules/thinking-effort.ts";

/** Codex reads at most 1 MiB. */
const entriesMax = 300;
/**
 * Names that releases of Codex bring along, with instructions and tools that were made for them.
 */
const knownToCodex = /^(?:gpt-(?:[5-9]|\d\d)|gpt-daybreak|codex)/;
/** Models of vectors and pictures have prices like any other. */
const writesNoText = /embed|rerank|image|audio|tts|whisper|moderation/;
/** Less does not hold a task. */
const windowMin = 32_000;
/** Words that every release reads that asks for the list. */
const efforts = [
  ["low", "Fast answers with little reasoning"],
  ["medium", "A balance of speed and depth"],
  ["high", "More reasoning for hard problems"],
  ["xhigh", "The most reasoning"],
] as const;

/**
 * `instructions` are for a model that Codex does not know; without an entry, Codex tells it
 * something of its own and warns its user.
 */
const instructions = `You are a coding agent in a terminal, at work in the user's repository together with the user.

- Find out before you act: read the files that concern the task, and search with rg where it is installed.
- Work until the task is done. Run what you change, and the tests that concern it, before you say that it works.
- Change as little as the task needs. Keep the style of the code around it, and leave alone what others have changed.
- Never undo work of the user, commit, push or delete branches unless you are asked to.
- With the tool apply_patch, a patch begins with "*** Begin Patch" and ends with "*** End Patch". Between them stands, for each file,
  "*** Add File: PATH", "*** Delete File: PATH" or "*** Update File: PATH". Below an update come hunks that begin with "@@", whose lines begin
  with a blank for context, "-" for what goes and "+" for what comes. All lines of an added file begin with "+".
- With update_plan, keep a short plan for tasks of several steps, and one step in progress.
- Say in a sentence what you do next before you call tools. At the end, tell in a few lines what you did, what you saw work, and what is
  left. Name files by their paths.
`;

export function buildCodexCatalogue(
  names: readonly string[],
  priceOf: (name: string) => ChannelPrice | undefined,
): Record<string, unknown>[] {
  return names
    .filter((name) => !knownToCodex.test(name) && !writesNoText.test(name))
    .flatMap((name) => {
      const cost = priceOf(name);
      const { context_window, rates } = cost?.price ?? {};
      // A window that is not known would be a guess.
      const isOfAgents =
        context_window !== undefined && context_window >= windowMin && rates && rates.output > 0n;
      return cost && isOfAgents ? [entry(name, cost.model, context_window)] : [];
    })
    .slice(0, entriesMax)
    .map((one, priority) => ({ ...one, priority: priority + 100 }));
}

function entry(slug: string, model: string, context_window: number): Record<string, unknown> {
  const accepted = listAcceptedEfforts(model);
  const levels = efforts.filter(([effort]) => accepted.includes(effort));
  return {
    slug,
    display_name: slug,
    description: null,
    default_reasoning_level: levels.some(([effort]) => effort === "medium")
      ? "medium"
      : (levels[0]?.[0] ?? null),
    supported_reasoning_levels: levels.map(([effort, description]) => ({ effort, description })),
    shell_type: "shell_command",
    visibility: "list",
    supported_in_api: true,
    availability_nux: null,
    upgrade: null,
    base_instructions: instructions,
    supports_reasoning_summaries: levels.length > 0,
    support_verbosity: false,
    default_verbosity: null,
    apply_patch_tool_type: "freeform",
    truncation_policy: { mode: "tokens", limit: 10_000 },
    supports_parallel_tool_calls: true,
    context_window,
    max_context_window: context_window,
    experimental_supported_tools: [],
  };
}
