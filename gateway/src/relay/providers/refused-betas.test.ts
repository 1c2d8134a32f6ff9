// Flags of `anthropic-beta` that a host of Claude refuses.
import { callOf } from "@tollgate/tests/support/provider-adapter.ts";
import { expect, test } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { areBetasRefused, stripRefusedBetas } from "./refused-betas.ts";

const call = (flags: string) =>
  callOf(
    {},
    {
      upstream: anthropicMessages.upstream,
      headers: ["anthropic-version", "2023-06-01", "Anthropic-Beta", flags],
    },
  );
const named =
  "Unexpected value(s) `b-2025-01-02` for the `anthropic-beta` header. Please consult our documentation";

test("a refusal that names flags takes these alone", () => {
  expect(areBetasRefused(400, named)).toBe(true);
  expect(stripRefusedBetas(call("a-2025-01-01, b-2025-01-02"), named)?.headers).toEqual([
    ...["anthropic-version", "2023-06-01", "anthropic-beta", "a-2025-01-01"],
  ]);
});

test("one that names none takes all", () => {
  expect(areBetasRefused(400, "invalid beta flag")).toBe(true);
  expect(
    stripRefusedBetas(call("a-2025-01-01,b-2025-01-02"), "invalid beta flag")?.headers,
  ).toEqual([...["anthropic-version", "2023-06-01"]]);
});

test("a call without flags, or without the named one, is not sent again", () => {
  expect(
    stripRefusedBetas(callOf({}, { upstream: anthropicMessages.upstream }), named),
  ).toBeUndefined();
  expect(stripRefusedBetas(call("a-2025-01-01"), named)).toBeUndefined();
  expect(areBetasRefused(403, named)).toBe(false);
  expect(areBetasRefused(400, `messages.0: "${named}" is no text`)).toBe(false);
});
