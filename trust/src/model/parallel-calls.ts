// Calls at once of which what covers them decides how many are served.
import assert from "node:assert/strict";
import { readReply } from "@tollgate/tests/harness/api-session.ts";
import { chatBody } from "@tollgate/tests/harness/test-gateway.ts";
import { billingIdOf, refusedStatuses } from "./model-command.ts";
import type { ModelGateway } from "./model-gateway.ts";
import type { ModelToken } from "./reference-model.ts";
import { type RunRoom, wideRoom } from "./run-room.ts";

/** `calls` of the same size, and what covers them. */
interface CallsTogether {
  calls: number;
  /** Units that they may take at most; 0 where the key may not call at all. */
  covered: number;
  hold: number;
  charge: number;
  /** What a budget of runs leaves, where the calls are in one. */
  room?: RunRoom;
}

/**
 * The ids of the calls that were served: at least as many as fit in whole holds, at most as many as
 * their charges and one hold.
 */
export async function sendTogether(
  { gateway }: ModelGateway,
  token: ModelToken,
  asked: { model: string; max_tokens: number },
  { calls, covered: apart, hold, charge, room = wideRoom }: CallsTogether,
  headers: Record<string, string> = {},
): Promise<number[]> {
  const covered = Math.min(apart, room.units);
  const replies = await Promise.all(
    Array.from({ length: calls }, async () =>
      readReply(await gateway.world.send(token.key, chatBody(asked), { headers })),
    ),
  );
  for (const { status, text } of replies)
    assert.ok(status === 200 || refusedStatuses.includes(status), `${status}: ${text}`);
  const served = replies
    .filter(({ status }) => status === 200)
    .map((reply) => billingIdOf(reply.headers));
  assert.ok(
    served.length >= Math.min(calls, Math.floor(covered / hold), room.atOnce),
    `only ${served.length} were served`,
  );
  assert.ok(
    served.length === 0 || hold + (served.length - 1) * charge <= covered,
    `${served.length} were served from ${covered}`,
  );
  assert.ok(served.length <= room.inAll, `${served.length} were served, not ${room.inAll}`);
  return served;
}
