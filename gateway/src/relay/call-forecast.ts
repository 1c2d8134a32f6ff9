/**
 * A forecast of a call, whether it would work now: the steps of `relayCall` up to the hold, by the
 * same functions, without counting, holding or sending anything. Every step is looked at, so that
 * an operator sees all obstacles at once.
 */

import { buildEachTokenLimit } from "@tollgate/contract/accounts/token-restrictions.ts";
import { blockText } from "@tollgate/contract/api/cidr.ts";
import type {
  CallCheck,
  CallCheckStep,
  CheckedEndpoint,
} from "@tollgate/contract/catalogue/call-checks.ts";
import type { Counters } from "../limits/counters.ts";
import { holdForecast, readFunds, readUnspent } from "../money/holds/hold-forecast.ts";
import { addCallFee, explainCharge, noUsage } from "../money/prices/price.ts";
import type { Database } from "../storage/database.ts";
import { isBudgetRefusal } from "../storage/money-commands.ts";
import { findKeyRefusal, findModelRefusal } from "./admission/authenticate.ts";
import { type BudgetDeps, forecastBudgetRefused } from "./admission/budget-refusals.ts";
import type { TagReader } from "./admission/call-tags.ts";
import type {
  CallerFunds,
  CallerIdentity,
  CallerReach,
  KeyRules,
  KeyState,
} from "./admission/caller-parts.ts";
import { buildFundsRefusal } from "./admission/funds-refusals.ts";
import { limitRefusal, listLimited } from "./admission/token-limits.ts";
import { findFullChannels } from "./channel-entry.ts";
import { anthropicMessages } from "./formats/anthropic-messages.ts";
import type { ClientFormat, RelayCall } from "./formats/api-format.ts";
import type { AskedModel, AskedSize, SentBody } from "./formats/call-parts.ts";
import { chatCompletions } from "./formats/chat-completions.ts";
import { buildOutputHold } from "./formats/hold-size/token-estimate.ts";
import { imageGenerations } from "./formats/images.ts";
import { ocr } from "./formats/ocr.ts";
import { completions, embeddings, moderations, rerank } from "./formats/openai-basic-formats.ts";
import { responses } from "./formats/responses.ts";
import { speech } from "./formats/speech.ts";
import { buildRerouter, holdWithinBudgets } from "./hold-within-budgets.ts";
import { callOfJson } from "./read-request.ts";
import type { EstimateSettings, HoldSettings, RoutingSettings } from "./relay-settings.ts";
import { buildRoutingRequest, type RoutingDeps, routeCall } from "./route-call.ts";
import { readReasonWithGroup } from "./routing/channel-groups.ts";
import {
  type ChannelCandidate,
  type ChannelChoice,
  NoChannel,
  type RoutingRequest,
} from "./routing/choose-channels.ts";
import { describeReason } from "./routing/routing-reasons.ts";
import { readReasonWithTarget } from "./routing/target-order.ts";
import { computeCandidateUnits } from "./wanted-hold.ts";
import { type RelayRefusal, RelayRefused } from "./wire/relay-refusal.ts";

export interface CallSample {
  model: string;
  endpoint: CheckedEndpoint;
  maxTokens?: number | undefined;
  /** Tokens of the prompt; without it, a greeting. */
  promptTokens?: number | undefined;
}

export type CallForecastDeps = RoutingDeps &
  BudgetDeps & {
    counters: Counters;
    settings: RoutingSettings & HoldSettings & EstimateSettings;
    tags: TagReader;
    db: Pick<Database, "sql" | "read">;
  };

const greeting = "Hello";
const messages = [{ role: "user", content: greeting }];
const max_tokens = 16;

/** The smallest request of each endpoint, without its model. */
const samples: Readonly<
  Record<CheckedEndpoint, { format: ClientFormat; body: object; limitMember?: string }>
> = {
  chat_completions: {
    format: chatCompletions,
    body: { messages },
    limitMember: "max_completion_tokens",
  },
  completions: { format: completions, body: { prompt: greeting }, limitMember: "max_tokens" },
  response_api: { format: responses, body: { input: greeting }, limitMember: "max_output_tokens" },
  claude_messages: {
    format: anthropicMessages,
    body: { messages, max_tokens },
    limitMember: "max_tokens",
  },
  embeddings: { format: embeddings, body: { input: greeting } },
  moderations: { format: moderations, body: { input: greeting } },
  rerank: { format: rerank, body: { query: greeting, documents: [greeting] } },
  ocr: {
    format: ocr,
    body: { document: { type: "image_url", image_url: "https://example.com/page.png" } },
  },
  images_generations: { format: imageGenerations, body: { prompt: greeting } },
  audio_speech: { format: speech, body: { input: greeting, voice: "alloy" } },
};

/**
 * The call of a client that sends this, read as its body would be. Throws `RelayRefused` where it
 * would be refused.
 */
export function sampleCall(
  { model, endpoint, maxTokens, promptTokens }: CallSample,
  isEstimateRough: boolean,
  isServed: (model: string) => boolean,
): RelayCall {
  const { format, body, limitMember } = samples[endpoint];
  const limit = limitMember !== undefined &&
    maxTokens !== undefined && { [limitMember]: maxTokens };
  const bytes = Buffer.from(JSON.stringify({ model, ...body, ...limit }));
  const names = { hasChoice: () => false, isServed };
  const call = callOfJson(bytes, {}, { formatFor: () => format, isEstimateRough, ...names });
  return promptTokens === undefined ? call : { ...call, promptEstimate: promptTokens };
}

/** `forecastCall` is about a call that continues no conversation and requires no channel. */
export async function forecastCall(
  caller: CallerIdentity & CallerReach & CallerFunds & KeyRules & KeyState,
  sample: CallSample,
  deps: CallForecastDeps,
): Promise<CallCheck> {
  const { settings, now, db } = deps;
  const isServed = (model: string) => deps.channels.snapshot.channelsBehind(model).length > 0;
  const call = sampleCall(sample, settings.isEstimateRough(), isServed);
  const refusals: CallCheck["refusals"] = [];
  const note = (step: CallCheckStep, refused: RelayRefused | undefined): void => {
    if (refused) refusals.push({ step, ...buildRefusalView(refused.refusal) });
  };
  const hasKey = caller.tokenId > 0;
  // The address of the client is not known: the list of allowed ones is part of the result.
  note("key", findKeyRefusal(caller, undefined, undefined, now()));
  note("model", findModelRefusal(caller, call, deps.channels.snapshot.namesNeeded));
  const routing = buildRoutingRequest(call, caller, undefined, settings);
  const route = await routeOrRefusal(routing, deps);
  if ("refused" in route) note("route", route.refused);
  const { limits, tokenId } = caller;
  for (const limited of listLimited(caller))
    note(
      "limits",
      await limitRefusal({ ...limited, promptEstimate: call.promptEstimate }, deps.counters),
    );

  // What the client would send is not known: the tags of the key alone are.
  const ofKey = { tags: caller.tags && { ...caller.tags, required: [] } };
  const tags = deps.tags.of({ request: { headers: {} }, note: () => undefined }, ofKey);
  const funds = await readFunds(db, caller.walletId, hasKey ? tokenId : undefined);
  const {
    wanted,
    held,
    instead,
    barred,
    choice: budgeted = route.choice,
  } = route.choice.candidates.length > 0
    ? await holdWithinBudgets(
        { call, tags, reroute: buildRerouter(call, routing, caller, deps) },
        caller,
        now(),
        route.choice,
        deps,
        async (hold, budgets) =>
          holdForecast(funds, hold, budgets && (await readUnspent(budgets, deps.readCounters))),
      )
    : {};
  if (isBudgetRefusal(held))
    note("balance", await forecastBudgetRefused(held, { at: now(), caller, barred }, deps));
  else if (typeof held === "string" && held !== "held")
    note("balance", buildFundsRefusal(held, wanted?.least ?? 0, funds, caller));
  const choice = await stripFullChannels(call, budgeted, deps);
  if (choice.candidates.length === 0) {
    const full = findFullChannels(
      choice.excluded.map(({ reason }) => reason),
      call.model,
      now(),
    );
    note("route", full && new RelayRefused(full.refusal));
  }
  const granted = held === "held" ? wanted?.amount : held;
  return {
    model: sample.model,
    endpoint: sample.endpoint,
    username: caller.username,
    group: caller.group,
    groups: [...caller.groups],
    token_name: caller.tokenName,
    would_work: refusals.length === 0,
    ...(instead && { model_instead: instead.model }),
    refusals,
    subnets: caller.subnets.map(blockText),
    candidates: choice.candidates.length,
    excluded: choice.excluded.length,
    channels: createChannelViews(choice),
    price: priceAtFirst(call, choice),
    limits: limits ?? buildEachTokenLimit(() => 0),
    balance: { available: funds.available, debt: funds.debt, key_available: funds.tokenAvailable },
    hold: wanted
      ? {
          wanted: wanted.amount,
          granted: typeof granted === "number" ? granted : null,
          output_limit: typeof held === "number" ? wanted.outputLimit(held) : null,
        }
      : null,
  };
}

/** `stripFullChannels` leaves out the channels whose own budgets do not cover the call now. */
async function stripFullChannels(
  call: AskedModel & AskedSize & SentBody,
  choice: ChannelChoice,
  { budgets, readCounters, settings, now }: CallForecastDeps,
): Promise<ChannelChoice> {
  if (!budgets.hasChannels()) return choice;
  const candidates: ChannelCandidate[] = [];
  const excluded = [...choice.excluded];
  for (const candidate of choice.candidates) {
    const { channel, model, target } = candidate;
    const own = budgets.ofChannel(channel.id, now(), [call.model, model]);
    const units = own.length === 0 ? 0 : computeCandidateUnits(call, candidate, settings);
    const full = (await readUnspent(own, readCounters)).find(({ unspent }) => unspent < units);
    const until = own.find(({ id }) => id === full?.id)?.end ?? null;
    if (full)
      excluded.push({
        channel,
        reason: { reason: "channel_budget_full", until },
        ...(target && { target }),
      });
    else candidates.push(candidate);
  }
  return { ...choice, candidates, excluded };
}

type RouteOrRefusal = { choice: ChannelChoice } | { choice: ChannelChoice; refused: RelayRefused };

async function routeOrRefusal(
  routing: RoutingRequest,
  deps: CallForecastDeps,
): Promise<RouteOrRefusal> {
  try {
    return { choice: await routeCall(routing, deps) };
  } catch (error) {
    if (!(error instanceof RelayRefused)) throw error;
    const excluded = error instanceof NoChannel ? error.excluded : [];
    return { choice: { candidates: [], excluded }, refused: error };
  }
}

const buildRefusalView = ({ status, code, type, message, retryAfter }: RelayRefusal) => ({
  status,
  code: String(code ?? type),
  message,
  ...(retryAfter !== undefined && { retry_after: retryAfter }),
});

const createChannelViews = ({ candidates, excluded }: ChannelChoice): CallCheck["channels"] => [
  ...candidates.map(({ channel: { id, uuid, name }, cost, reason, target, group }) => ({
    ...{ id, uuid, name },
    is_candidate: true,
    reason: readReasonWithTarget(target, readReasonWithGroup(group, describeReason(reason))),
    upstream_model: cost.model,
  })),
  ...excluded.map(({ channel: { id, uuid, name }, reason, target }) => ({
    ...{ id, uuid, name },
    is_candidate: false,
    reason: readReasonWithTarget(target, describeReason(reason)),
    upstream_model: "",
  })),
];

function priceAtFirst(call: AskedSize, { candidates: [first] }: ChannelChoice): CallCheck["price"] {
  if (!first) return null;
  const { price, frozen } = first.cost;
  const output = buildOutputHold(call.maxOutputTokens, price.max_tokens, call.choiceCount).wanted;
  const usage = { ...noUsage, ...call.extras, input: call.promptEstimate, output };
  return explainCharge(frozen, addCallFee(usage, price));
}
