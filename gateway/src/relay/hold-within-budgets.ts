/**
 * The hold of a call within its budgets. A budget that does not cover it may be one of a target of
 * a virtual model, which is left out, or may send the call to another model. Whatever is held in
 * the end is held on every budget that counts the call as it is then.
 */
import { readModelInstead } from "@tollgate/contract/accounts/budget-kinds.ts";
import type { PayingKey } from "../accounts/budgets/live-budgets.ts";
import {
  computeBudgetId,
  type HeldBudget,
  type HoldCommand,
  isBudgetRefusal,
  isOneOfTargets,
  type MoneyResult,
} from "../storage/money-commands.ts";
import { findModelRefusal } from "./admission/authenticate.ts";
import type { BarredModel, BudgetDeps } from "./admission/budget-refusals.ts";
import type { CallTags } from "./admission/call-tags.ts";
import type { CallerReach } from "./admission/caller-parts.ts";
import type { ApiEndpoint, CallFormats } from "./formats/api-format.ts";
import type { AskedModel, AskedSize, RoutingNeeds, SentBody } from "./formats/call-parts.ts";
import type { HoldSettings } from "./relay-settings.ts";
import { type RoutingDeps, routeCall } from "./route-call.ts";
import type { ChannelChoice, RoutingRequest } from "./routing/choose-channels.ts";
import { readWantedHold, type WantedHold } from "./wanted-hold.ts";
import { RelayRefused } from "./wire/relay-refusal.ts";

interface BudgetedAsk {
  call: AskedModel & AskedSize & SentBody;
  tags: CallTags | undefined;
  run?: string | undefined;
  /** `contextTokens` are what the provider keeps for the call and counts besides. */
  contextTokens?: readonly number[] | undefined;
  /** Missing for a call that no other model can serve. */
  reroute?: Rerouter | undefined;
}

/** `Rerouter` says where the call goes with another model, or why it cannot. */
export type Rerouter = (model: string) => Promise<Rerouted | RelayRefused>;

interface Rerouted {
  routing: RoutingRequest;
  choice: ChannelChoice;
}

export interface BudgetedHold {
  held: MoneyResult<HoldCommand>;
  wanted: WantedHold;
  choice: ChannelChoice;
  /** `instead` is the model that the call goes to, with the names of the budgets that sent it. */
  instead?: { model: string; routing: RoutingRequest; budgets: readonly string[] };
  /** The model to which a budget would have sent the call that it refuses. */
  barred?: BarredModel;
}

/** Opens the hold of a call that began at `at`. */
export async function holdWithinBudgets(
  { call, tags, run, contextTokens, reroute }: BudgetedAsk,
  { tokenId, userId, teamId, memberId }: PayingKey,
  at: number,
  routed: ChannelChoice,
  { budgets, settings }: Pick<BudgetDeps, "budgets"> & { settings: HoldSettings },
  open: (
    wanted: WantedHold,
    budgets: readonly HeldBudget[] | undefined,
  ) => MoneyResult<HoldCommand> | Promise<MoneyResult<HoldCommand>>,
): Promise<BudgetedHold> {
  const payer = { tokenId, userId, teamId, memberId };
  let choice = routed;
  let { model } = call;
  let instead: BudgetedHold["instead"];
  const asked = new Set([model]);
  for (;;) {
    const { candidates } = choice;
    const wanted = readWantedHold(call, choice, settings, contextTokens);
    const targets = () => candidates.flatMap(({ target }) => target?.model ?? []);
    const counted = budgets.heldBy({ ...payer, at, model, tags: tags?.counted, run, targets });
    const held = await open(wanted, counted);
    const result = { held, wanted, choice, ...(instead && { instead }) };
    if (!isBudgetRefusal(held)) return result;
    const id = computeBudgetId(held);
    const full = counted?.find((budget) => budget.id === id)?.target;
    const rest = full == null ? choice : stripTargets(choice, full);
    if (rest !== choice && rest.candidates.length > 0) {
      choice = rest;
      continue;
    }
    const budget = budgets.find(id);
    const next = budget && readModelInstead(budget.on_reached);
    // Budgets that send calls to each other's models let none of them through.
    if (reroute === undefined || next === undefined || asked.has(next)) return result;
    asked.add(next);
    const rerouted = await reroute(next);
    if (rerouted instanceof RelayRefused)
      return { ...result, barred: { model: next, message: rerouted.message } };
    instead = {
      ...{ model: next, routing: rerouted.routing },
      budgets: [...(instead?.budgets ?? []), budget?.name ?? ""],
    };
    [model, choice] = [next, rerouted.choice];
  }
}

function stripTargets(choice: ChannelChoice, targets: string): ChannelChoice {
  const { true: left = [], false: candidates = [] } = Object.groupBy(
    choice.candidates,
    ({ target }) => (isOneOfTargets(targets, target?.model) ? "true" : "false"),
  );
  const excluded = left.map(({ channel, target }) => ({
    channel,
    reason: { reason: "budget_full" } as const,
    ...(target && { target }),
  }));
  return { ...choice, candidates, excluded: [...choice.excluded, ...excluded] };
}

/** `writtenEndpoints` answer with text that another model can write. */
const writtenEndpoints: ReadonlySet<ApiEndpoint> = new Set<ApiEndpoint>([
  ...(["chat_completions", "completions", "response_api"] as const),
  ...(["claude_messages", "gemini", "gemini_list"] as const),
]);

/**
 * `buildRerouter` is for a call that a budget may send to another model: one that the model lists of
 * its key and team hold and that a channel serves. The list of a single name makes the router treat
 * it as a target, so that the request is written for it and the answer names it.
 */
export const buildRerouter = (
  call: AskedModel & RoutingNeeds & CallFormats,
  routing: RoutingRequest,
  caller: CallerReach,
  deps: RoutingDeps,
): Rerouter | undefined =>
  writtenEndpoints.has(call.client.endpoint)
    ? async (model) => {
        const { namesNeeded } = deps.channels.snapshot;
        const refused = findModelRefusal(
          caller,
          { ...call, model, fallbackModels: [] },
          namesNeeded,
        );
        if (refused) return refused;
        const elsewhere = { ...routing, model, fallbackModels: [model] };
        try {
          return { routing: elsewhere, choice: await routeCall(elsewhere, deps) };
        } catch (error) {
          if (error instanceof RelayRefused) return error;
          throw error;
        }
      }
    : undefined;
