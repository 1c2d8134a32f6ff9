import { setTimeout as pause } from "node:timers/promises";
import type { TestGateway } from "../harness/test-gateway.ts";

/** Clients that call repeatedly until `stop`; `statuses` collects the results. */
export function keepCalling(
  world: TestGateway,
  key: string,
  callers: number,
  body: Record<string, unknown>,
) {
  const statuses: number[] = [];
  let isOver = false;
  const done = Promise.all(
    Array.from({ length: callers }, async () => {
      while (!isOver) {
        const { status } = await world.chat(key, body);
        statuses.push(status);
        if (status !== 200) await pause(20);
      }
    }),
  );
  // A test that fails has its own error, and does not stop them: what they meet when the gateway is
  // closed is none.
  done.catch(() => undefined);
  return {
    statuses,
    async stop() {
      isOver = true;
      await done;
    },
  };
}
