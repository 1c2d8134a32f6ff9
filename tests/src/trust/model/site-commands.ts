// What the operator and the clock do.
import fc from "fast-check";
import { command, setEnabled, slot, someone } from "./command.ts";
import type { Behaviour, Stage } from "./stage.ts";

const quarters = fc.constantFrom(0.25, 0.5, 1, 1.5, 3);

export const editPrice = command(
  "edit price",
  fc.record({
    behaviour: fc.constantFrom<Behaviour>("whole", "retried", "cut", "stalled"),
    ratio: quarters,
    completionRatio: fc.constantFrom(1, 2, 4, 5),
  }),
  async (_, stage, { behaviour, ...price }) => stage.setPrice(behaviour, price),
);
export const editRatio = command("edit group ratio", fc.constantFrom(0.5, 1, 1.25, 2), async (_, stage, ratio) =>
  stage.setGroupRatio(ratio),
);

export async function clear({ site }: Stage): Promise<void> {
  await site.root("DELETE", `/api/log/?target_timestamp=${Math.floor(site.now() / 1000) + 1}`);
}
export const clearLogs = command("clear logs", fc.constant(null), async (_, stage) => clear(stage));

export const minute = 60_000;
export const moveClock = command(
  "move clock",
  fc.constantFrom(-60 * minute, -minute, minute, 13 * minute, 60 * minute),
  async (_, stage, ms) => {
    await stage.site.moveClock(ms);
    if (ms < 0) stage.takesBack(-ms);
  },
);

export const enable = command(
  "enable",
  fc.record({ who: slot, isEnabled: fc.boolean() }),
  async (model, stage, given) => {
    const person = someone(model, given.who);
    await setEnabled(stage, person, given.isEnabled);
    await stage.compare(person);
  },
);

export const register = command("register", fc.constant(null), async (model, stage) => {
  model.people.push(await stage.addPerson());
});
