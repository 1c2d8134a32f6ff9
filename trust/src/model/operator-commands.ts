// Commands of the operator, and of the clock.
import fc from "fast-check";
import { command, pickUser, setEnabled, slot } from "./model-command.ts";
import type { ModelChannelBehaviour, ModelGateway } from "./model-gateway.ts";

const quarters = fc.constantFrom(0.25, 0.5, 1, 1.5, 3);

export const editPrice = command(
  "edit price",
  fc.record({
    behaviour: fc.constantFrom<ModelChannelBehaviour>(
      "whole",
      "retried",
      "cut",
      "stalled",
      "spilled",
    ),
    ratio: quarters,
    completionRatio: fc.constantFrom(1, 2, 4, 5),
  }),
  async (_, gateway, { behaviour, ...price }) => gateway.setPrice(behaviour, price),
);
export const editRatio = command(
  "edit group ratio",
  fc.constantFrom(0.5, 1, 1.25, 2),
  async (_, gateway, ratio) => gateway.setGroupRatio(ratio),
);

export async function clear({ gateway: runGateway }: ModelGateway): Promise<void> {
  await runGateway.root(
    "DELETE",
    `/api/log/?target_timestamp=${Math.floor(runGateway.now() / 1000) + 1}`,
  );
}
export const clearLogs = command("clear logs", fc.constant(null), async (_, gateway) =>
  clear(gateway),
);

export const minute = 60_000;
export const moveClock = command(
  "move clock",
  fc.constantFrom(-60 * minute, -minute, minute, 13 * minute, 60 * minute),
  async (_, gateway, ms) => {
    await gateway.gateway.moveClock(ms);
    if (ms < 0) gateway.setClockBackLater(-ms);
  },
);

export const enable = command(
  "enable",
  fc.record({ who: slot, isEnabled: fc.boolean() }),
  async (model, gateway, given) => {
    const user = pickUser(model, given.who);
    await setEnabled(gateway, user, given.isEnabled);
    await gateway.compare(user);
  },
);

export const register = command("register", fc.constant(null), async (model, gateway) => {
  model.users.push(await gateway.addUser());
});
