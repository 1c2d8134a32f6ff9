// When a call enters the budgets of channels: once for each account and model, never where none has
// one.
import { expect, test } from "vitest";
import type { EnteredChannel } from "../money/holds/live-holds.ts";
import type { HeldBudget } from "../storage/money-commands.ts";
import { buildChannelEntry, findFullChannels } from "./channel-entry.ts";
import type { ChannelCandidate } from "./routing/choose-channels.ts";

const budget: HeldBudget = { id: 5, start: 0, end: 9_000, max: 10, target: null };
const at = (id: number, model: string) => ({ channel: { id }, model }) as ChannelCandidate;

function openEntry({ answer = "held" }: { answer?: "held" | "budget:5" } = {}) {
  const entered: EnteredChannel[] = [];
  const enter = buildChannelEntry(
    { exchange: { id: 4_096 }, recorder: { snapshot: { origin_model_name: "asked" } as never } },
    ({ model }) => (model === "dear" ? 9 : 3),
    {
      budgets: { ofChannel: (id: number) => (id === 7 ? [budget] : []) } as never,
      holds: {
        async enter(_: number, entry: EnteredChannel) {
          entered.push(entry);
          return answer;
        },
      } as never,
    },
  );
  return { enter, entered };
}

test("a channel is entered anew for another model, left for the next channel, and not entered where it has no budget", async () => {
  const { enter, entered } = openEntry();
  await enter(at(8, "cheap"));
  expect(entered).toEqual([]);
  await enter(at(7, "cheap"));
  // Another key of the account.
  await enter(at(7, "cheap"));
  await enter(at(7, "dear"));
  await enter(at(8, "dear"), 7);
  await enter(at(8, "cheap"));
  expect(entered).toEqual([
    { channelId: 7, budgets: [budget], amount: 3, keeps: undefined },
    { channelId: 7, budgets: [budget], amount: 9, keeps: undefined },
    { channelId: 8, budgets: [], amount: 0, keeps: 7 },
  ]);
});

test("a full channel says when its window ends, and the client is told the first of these ends", async () => {
  const { enter } = openEntry({ answer: "budget:5" });
  expect(await enter(at(7, "cheap"))).toEqual({ reason: "channel_budget_full", until: 9_000 });
  const full = (until: number | null) => ({ reason: "channel_budget_full", until }) as const;
  const told = (...skipped: Parameters<typeof findFullChannels>[0]) =>
    findFullChannels(skipped, "m", 2_000)?.refusal.retryAfter;
  expect([
    told(full(null), full(9_500), full(60_000)),
    told(full(1_000)),
    told(full(null)),
  ]).toEqual([8, 1, undefined]);
  expect(findFullChannels([{ reason: "limit_reached" }], "m", 2_000)).toBeUndefined();
});
