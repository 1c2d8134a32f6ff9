// Answers of Converse that Amazon could not read are no finished ones.
import { expect, test } from "vitest";
import type { RelayCall } from "./api-format.ts";
import { bedrockConverse } from "./bedrock-converse.ts";

test.each(["malformed_model_output", "malformed_tool_use"])("%s is a failure", (stopReason) => {
  expect(bedrockConverse.errorIn?.({ stopReason })).toMatchObject({ status: 502 });
  const read = bedrockConverse.createEventReader({} as RelayCall);
  const event = `data: ${JSON.stringify({ messageStop: { stopReason } })}\n\n`;
  expect(read(event)).toMatchObject({ kind: "error", badEnd: "broken" });
});

test("the end of a turn is none", () =>
  expect(bedrockConverse.errorIn?.({ stopReason: "end_turn" })).toBeUndefined());
