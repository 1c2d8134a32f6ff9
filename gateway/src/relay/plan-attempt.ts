/** The request as one channel gets it. */

import type { KeyRules } from "./admission/caller-parts.ts";
import type { CallNotes } from "./exchange-parts.ts";
import type { CallFormats, RelayCall } from "./formats/api-format.ts";
import { setPromptMarks } from "./providers/prompt-marks.ts";
import type { ChannelAttempt } from "./routing/attempts.ts";
import { planUpstreamCall, type UpstreamPlan } from "./routing/translation-registry.ts";
import type { StoredResponses } from "./stored-responses/stored-responses.ts";
import { buildTracedCall, placeCall, type TracingDeps } from "./try-channels.ts";
import type { KnownRefusals, RefusalPlace } from "./value-rules/known-refusals.ts";
import { stripConditions } from "./value-rules/member-path.ts";

/** `PlanDeps` are what may change a request on its way to a channel. */
export type PlanDeps = TracingDeps & {
  storedResponses: Pick<StoredResponses, "recording">;
  knownRefusals: KnownRefusals;
};

export function planAttempt(
  attempt: ChannelAttempt,
  call: RelayCall,
  deps: Omit<PlanDeps, "tracing">,
): UpstreamPlan {
  const { candidate, channel, revised } = attempt;
  const { model } = candidate.cost;
  const planned = planUpstreamCall(
    placeCall(call, candidate),
    channel.urlsFor(model),
    model,
    channel.type,
  );
  const plan = call.storeAs ? deps.storedResponses.recording(planned) : planned;
  if (revised)
    return addLost(
      { ...plan, call: revised.call },
      revised.rule && revised.isLost ? [revised.rule.member] : [],
    );
  const { call: sent, lost } = deps.knownRefusals.apply(
    plan.call,
    readRefusalPlace(attempt, plan.call),
  );
  return sent === plan.call ? plan : addLost({ ...plan, call: sent }, lost);
}

/**
 * The owner of a key or the operator may want marks for the prompt cache where a client sets none.
 */
export function addMarks(
  plan: UpstreamPlan,
  { candidate: { cost }, channel }: ChannelAttempt,
  { promptMarks }: Pick<KeyRules, "promptMarks">,
): UpstreamPlan {
  const isWanted = {
    "": channel.settings.config.mark_prompt_cache === true,
    on: true,
    off: false,
  }[promptMarks];
  if (!isWanted || plan.call.form) return plan;
  const marked = setPromptMarks(
    plan.call.body,
    plan.call.upstream.endpoint,
    cost.model,
    cost.price.rates,
  );
  return marked
    ? { ...plan, call: { ...plan.call, body: marked.body }, marks: marked.marks }
    : plan;
}

/** The plan with members of its request that are left out since it was made. */
const addLost = (plan: UpstreamPlan, members: readonly string[]): UpstreamPlan => {
  const nameFor = plan.clientName ?? ((path: string) => path);
  const names = members
    .map((member) => nameFor(stripConditions(member)))
    .filter((name) => name !== null);
  return names.length === 0
    ? plan
    : { ...plan, dropped: [...new Set([...plan.dropped, ...names])].toSorted() };
};

export const readRefusalPlace = (
  { candidate: { cost }, channel }: ChannelAttempt,
  { upstream }: CallFormats,
): RefusalPlace => ({
  channelId: channel.id,
  channelType: channel.type,
  host: channel.urlsFor(cost.model)[upstream.endpoint]?.hostname,
  model: cost.model,
});

/** The provider learns of the trace where the operator lets it. */
export function addTraceContext(
  plan: UpstreamPlan,
  attempt: ChannelAttempt,
  exchange: CallNotes,
  deps: TracingDeps,
): UpstreamPlan {
  const traced = buildTracedCall(plan.call, attempt, exchange, deps);
  return traced === plan.call ? plan : { ...plan, call: traced };
}
