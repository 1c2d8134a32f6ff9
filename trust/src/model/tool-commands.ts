// Calls of tools: a price for each result, held before the server is asked and charged once.
import assert from "node:assert/strict";
import { readReply } from "@tollgate/tests/harness/api-session.ts";
import fc from "fast-check";
import { sendTask, toolCall, toolEnds, toolUnits } from "../runs/task-providers.ts";
import { command, pickToken, pickUser, refusedStatuses, slot } from "./model-command.ts";
import { coveredFor, pay } from "./reference-model.ts";

/** Tools called at once: as many are served as can be paid, and only results are charged. */
export const callTool = command(
  "call tool",
  fc.record({
    who: slot,
    at: slot,
    calls: fc.integer({ min: 1, max: 4 }),
    end: fc.constantFrom(...toolEnds),
  }),
  async (model, gateway, { who, at, calls, end }) => {
    const user = pickUser(model, who);
    const token = await pickToken(gateway, user, at);
    const isOpen = user.isEnabled && token.isEnabled && user.debt === 0;
    const covered = isOpen ? coveredFor(user, token) : 0;
    const replies = await Promise.all(
      Array.from({ length: calls }, async () =>
        readReply(await sendTask(gateway.gateway, token.key, "mcp/tools", toolCall(end))),
      ),
    );
    const refused = replies.filter(({ status }) => refusedStatuses.includes(status)).length;
    for (const { status, text } of replies)
      assert.ok(
        refusedStatuses.includes(status) || status === (end === "broken" ? 502 : 200),
        `${status}: ${text}`,
      );
    const served = calls - refused;
    assert.ok(
      served >= Math.min(calls, Math.floor(covered / toolUnits)),
      `only ${served} were served`,
    );
    if (end === "result") {
      assert.ok(
        served === 0 || served * toolUnits <= covered,
        `${served} results of ${covered} units`,
      );
      for (let n = 0; n < served; n += 1) pay(user, token, toolUnits);
    } else if (covered < toolUnits) assert.equal(served, 0);
    await gateway.compare(user);
  },
);
