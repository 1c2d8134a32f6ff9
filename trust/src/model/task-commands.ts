// Tasks that providers finish after their response: held for when they are asked for, charged once
// at their end.
import assert from "node:assert/strict";
import { readReply } from "@tollgate/tests/harness/api-session.ts";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import fc from "fast-check";
import { batchFile, batchOf, sendTask, taskKeys } from "../runs/task-providers.ts";
import {
  billingIdOf,
  command,
  expectCharge,
  pickToken,
  pickUser,
  refusedStatuses,
  slot,
} from "./model-command.ts";
import type { ModelGateway } from "./model-gateway.ts";
import { minute } from "./operator-commands.ts";
import {
  batchCharge,
  batchHold,
  isServed,
  type ModelToken,
  pay,
  videoCharge,
} from "./reference-model.ts";
import { afterLease } from "./stream-commands.ts";

const idIn = (text: string): string => (JSON.parse(text) as { id: string }).id;

/** Asks for a task as its client does, again where the gateway was too busy to answer. */
const askForTask = ({ gateway }: ModelGateway, key: string, path: string): Promise<void> =>
  eventually(
    async () => {
      const { status, text } = await readReply(await sendTask(gateway, key, path));
      assert.ok(status !== 429 && status !== 503, `${status}: ${text}`);
    },
    { timeoutMs: 15_000, everyMs: 100 },
  );

/** `between` is what happens between the response and the end of a task. */
const between = fc.oneof(
  { weight: 10, arbitrary: fc.constant("nothing") },
  { weight: 3, arbitrary: fc.constant("token deleted") },
  { weight: 3, arbitrary: fc.constant("group ratio") },
  { weight: 1, arbitrary: fc.constant("kill") },
);

async function interrupt(
  gateway: ModelGateway,
  user: { access: string },
  { id }: ModelToken,
  what: string,
) {
  const { gateway: runGateway } = gateway;
  if (what === "token deleted") await runGateway.api(user.access, "DELETE", `/api/token/${id}`);
  if (what === "group ratio") await gateway.setGroupRatio(2);
  if (what !== "kill") return;
  await runGateway.kill();
  await runGateway.moveClock(afterLease);
  await runGateway.boot();
}

/** A video that is made as asked, longer, or not at all. */
export const makeVideo = command(
  "video",
  fc.record({
    who: slot,
    at: slot,
    seconds: fc.constantFrom(4, 8, 12),
    end: fc.constantFrom("as asked", "longer", "failed"),
    between,
  }),
  async (model, gateway, { who, at, seconds, end, between: what }) => {
    const user = pickUser(model, who);
    const token = await pickToken(gateway, user, at);
    const ratio = gateway.groupRatio();
    const made = end === "longer" ? seconds + 4 : seconds;
    const failed = { videoEnd: "failed" };
    await gateway.gateway.world.simulator.script(
      taskKeys.filmed,
      end === "failed" ? failed : { videoMade: { seconds: String(made) } },
    );
    const served = isServed(user, token, videoCharge(ratio, seconds));
    const asked = { model: "filmed", prompt: "a toll booth", seconds: String(seconds) };
    const { status, text, headers } = await readReply(
      await sendTask(gateway.gateway, token.key, "v1/videos", asked),
    );
    if (served) {
      assert.equal(status, 200, text);
      await interrupt(gateway, user, token, what);
      if (what === "token deleted") user.tokens = user.tokens.filter((one) => one !== token);
      // Longer than the gateway waits before it asks the provider; without a key that may read it,
      // a timer asks.
      await gateway.gateway.moveClock(minute);
      await askForTask(gateway, token.key, `v1/videos/${idIn(text)}`);
      const charge = end === "failed" ? 0 : videoCharge(ratio, made);
      await expectCharge(gateway, billingIdOf(headers), charge);
      pay(user, token, charge);
    } else assert.ok(refusedStatuses.includes(status), `served with ${status}: ${text}`);
    await gateway.compare(user);
  },
);

/** A batch whose lines are all answered, or the first of them alone. */
export const makeBatch = command(
  "batch",
  fc.record({
    who: slot,
    at: slot,
    lines: fc.integer({ min: 1, max: 3 }),
    max_tokens: fc.integer({ min: 1, max: 12 }),
    isWhole: fc.boolean(),
    isKilled: fc.nat({ max: 15 }).map((n) => n === 0),
  }),
  async (model, gateway, { who, at, lines, max_tokens, isWhole, isKilled }) => {
    const user = pickUser(model, who);
    const token = await pickToken(gateway, user, at);
    const ratio = gateway.groupRatio();
    const answered = isWhole ? lines : 1;
    await gateway.gateway.world.simulator.script(taskKeys.batched, { batchAnswers: answered });
    const served = isServed(user, token, batchHold(ratio, lines, max_tokens));
    const file = await readReply(
      await sendTask(gateway.gateway, token.key, "v1/files", batchFile(lines, max_tokens)),
    );
    if (file.status !== 200) {
      assert.ok(!served && refusedStatuses.includes(file.status), `${file.status}: ${file.text}`);
      return gateway.compare(user);
    }
    const asked = batchOf(idIn(file.text));
    const { status, text, headers } = await readReply(
      await sendTask(gateway.gateway, token.key, "v1/batches", asked),
    );
    if (served) {
      assert.equal(status, 200, text);
      await interrupt(gateway, user, token, isKilled ? "kill" : "nothing");
      await askForTask(gateway, token.key, `v1/batches/${idIn(text)}`);
      const charge = batchCharge(ratio, answered, max_tokens);
      await expectCharge(gateway, billingIdOf(headers), charge);
      pay(user, token, charge);
    } else assert.ok(refusedStatuses.includes(status), `served with ${status}: ${text}`);
    await gateway.compare(user);
  },
);
