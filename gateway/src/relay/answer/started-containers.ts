/**
 * The charge of a call for containers: those that it started, at the size that it asked for, and
 * the time of those that it used again.
 */
import type { Usage } from "../../money/prices/price.ts";
import type { AskedSize, SentBody } from "../formats/call-parts.ts";
import { computeSessionsCharged } from "../formats/hold-size/container-sessions.ts";
import type { StateBinding, StateKeeper } from "../provider-states/provider-states.ts";
import { parseObject } from "../wire/json-parts.ts";

/**
 * `usage` counts the containers that the answer names, also those that an earlier call started and
 * paid for.
 */
export function addStartedContainers(
  usage: Usage,
  { body }: Pick<SentBody, "body">,
  keeper: Pick<StateKeeper, "startedContainers" | "renewedSessions"> | undefined,
): Usage {
  const { container_sessions: named = 0, ...rest } = usage;
  if (named === 0) return usage;
  const started = keeper ? Math.min(keeper.startedContainers(), named) : named;
  const charged =
    computeSessionsCharged(started, parseObject(body.toString("utf8"))) +
    (keeper?.renewedSessions() ?? 0);
  return charged > 0 ? { ...rest, container_sessions: charged } : rest;
}

/** The hold covers the containers that the call names, too. */
export function addSessionsDue<Call extends AskedSize>(
  call: Call,
  { sessionsDue: due = 0 }: Partial<StateBinding> = {},
): Call {
  if (due === 0) return call;
  const { container_sessions = 0 } = call.extras ?? {};
  return { ...call, extras: { ...call.extras, container_sessions: container_sessions + due } };
}
