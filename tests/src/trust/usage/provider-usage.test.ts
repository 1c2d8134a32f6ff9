// What real providers report is what the client pays: whole, streamed, and through every translation.
import { expect, test } from "vitest";
import { callOf, entryOf, planOver } from "../../conformance/in-process-relay.ts";
import { answeredStream, answeredWhole } from "./answered-call.ts";
import { billedOf, eventsOf, type ProviderUsageCase, providerUsageCases, replyOf } from "./provider-usage-cases.ts";

const clients = ["Chat Completions", "Responses", "Messages", "Gemini"] as const;
const cases = providerUsageCases.map((one): [string, ProviderUsageCase] => [one.provider, one]);

test.each(cases)("%s: a whole answer costs what its usage says", { tags: ["S2-02", "S2-25"] }, async (_, one) => {
  for (const client of clients) {
    const plan = planOver({ ...callOf(client), isStream: false }, entryOf(one.speaks));
    const result = await answeredWhole(plan, replyOf(one));
    expect([client, result.outcome, result.usage]).toEqual([client, "success", billedOf(one)]);
    expect(result.uncounted).toBeUndefined();
  }
});

test.each(cases)("%s: a stream costs what its usage says", { tags: ["S2-01", "S2-02", "S2-25"] }, async (_, one) => {
  const events = [
    ...eventsOf(one).map((data) => `data: ${JSON.stringify(data)}\n\n`),
    ...(one.speaks === "Chat Completions" ? ["data: [DONE]\n\n"] : []),
  ];
  for (const client of clients) {
    const plan = planOver(callOf(client), entryOf(one.speaks));
    const { result } = await answeredStream(plan, events, { arrived: events.length, ending: "whole" });
    expect([client, result?.outcome, result?.usage]).toEqual([client, "success", billedOf(one)]);
    expect(result?.uncounted).toBeUndefined();
  }
});
