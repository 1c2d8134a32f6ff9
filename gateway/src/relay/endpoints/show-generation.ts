/**
 * `GET /v1/generation`: what one call has cost, for programs that ask OpenRouter in the same words.
 */
import type { Log } from "@tollgate/contract/figures/logs.ts";
import { computeDollars } from "../../money/quota-text.ts";
import { findIdFromText } from "../../storage/time-ids.ts";
import type { KnownCall, ReplyToClient } from "../exchange-parts.ts";
import { RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import { sendJson } from "./json-endpoint.ts";
import { authenticateHolder, type HolderDeps } from "./key-usage.ts";
import type { ReadKeyLogs } from "./read-key-logs.ts";

interface ShowGenerationDeps extends HolderDeps {
  readKeyLogs: ReadKeyLogs;
}

/**
 * The call of this key that `id` names: the `X-Oneapi-Request-Id` of its answer, or its trace id.
 * Its row is there once the call has ended, which may be a moment after the last byte. Money is in
 * US dollars, times in milliseconds.
 */
export async function showGeneration(
  exchange: KnownCall & ReplyToClient,
  deps: ShowGenerationDeps,
): Promise<void> {
  const caller = await authenticateHolder(exchange, deps);
  const asked = new URLSearchParams(exchange.request.url?.split("?")[1]).get("id");
  if (!asked) throw refuseWithoutId();
  const id = findIdFromText(asked);
  const [log] = id === undefined ? [] : await deps.readKeyLogs(caller, id);
  if (!log) throw refuseUnknownCall();
  sendJson(exchange, { data: describeGeneration(log) });
}

const describeGeneration = (log: Log) => ({
  id: log.request_id,
  model: log.model_name,
  created_at: new Date(log.updated_at).toISOString(),
  streamed: log.is_stream,
  cancelled: log.outcome === "client_left",
  outcome: log.outcome,
  total_cost: computeDollars(log.quota),
  usage: computeDollars(log.quota),
  quota: log.quota,
  tokens_prompt: log.prompt_tokens,
  tokens_completion: log.completion_tokens,
  native_tokens_prompt: log.prompt_tokens,
  native_tokens_completion: log.completion_tokens,
  native_tokens_cached: log.cached_prompt_tokens,
  latency: log.ttft,
  generation_time: log.elapsed_time,
});

const refuseWithoutId = (): RelayRefused =>
  refuseBadRequest(
    "id_required",
    "Name the call with ?id=…: the X-Oneapi-Request-Id of its answer, or its trace id",
  );

const refuseUnknownCall = (): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    code: "generation_not_found",
    message: "No such call of this key has ended yet",
  });
