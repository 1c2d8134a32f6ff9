import { relayChannel } from "@tollgate/tests/support/relay-channel.ts";
import { expect, test } from "vitest";
import type { EndOf } from "../../catalogue/models/known-model-ends.ts";
import { addModelEnds, endHeaders, endToldMs } from "./model-end-headers.ts";

const end = Date.parse("2026-12-11");
const ends: EndOf = (_, model) =>
  model === "old" ? { endsOn: "2026-12-11", replacement: "", source: "list" } : undefined;

test("answers of a model that ends say so from 60 days before, whatever name the client used", () => {
  const models = new Set(["mine", "new"]);
  const channel = addModelEnds(
    relayChannel(1, { models, modelMapping: new Map([["mine", "old"]]) }),
    ends,
  );
  expect(endHeaders(channel, "old", end - endToldMs - 1)).toBeUndefined();
  expect(endHeaders(channel, "new", end)).toBeUndefined();
  const told = [
    "sunset",
    "Fri, 11 Dec 2026 00:00:00 GMT",
    "deprecation",
    `@${Date.parse("2026-10-12") / 1_000}`,
  ];
  for (const at of [end - endToldMs, end, end + endToldMs])
    expect(endHeaders(channel, "old", at)).toEqual(told);
});

test("a channel without such a model stays the object that it was", () => {
  const channel = relayChannel(1, { models: new Set(["new"]) });
  expect(addModelEnds(channel, ends)).toBe(channel);
});
