// Providers that answer and then say nothing for a while: callers are told that somebody is still there.
import { beforeAll, describe, expect } from "vitest";
import { families } from "./families.ts";
import type { Grid } from "./grid.ts";
import { ask, type RawReply } from "./raw.ts";
import type { Stage } from "./stage.ts";
import { type TalkEntry, talkEntries, tokensOf } from "./talk.ts";
import { streamOf } from "./wires.ts";

export const slowFirstWord = "slow first word";

interface Heard {
  first: string;
  reply: RawReply;
}

const talks = families.flatMap((family, at) =>
  talkEntries.map((entry) => ({ family, entry, at, wire: family.wire[entry] })),
);
const slow = talks.filter(({ wire }) => !wire.isOneEvent);
const modelFor = (model: string, entry: TalkEntry): string => `${model}-slow-${entry.replace(" ", "-").toLowerCase()}`;
const keyOf = (model: string, entry: TalkEntry): string => `${model} ${entry}`;

/** All at once, because it is time that it takes: nobody goes on before everybody has heard something. */
async function listen({ access, channel, upstream }: Stage): Promise<Map<string, Heard>> {
  const everybody = Promise.withResolvers<void>();
  let waiting = slow.length;
  upstream.play();
  upstream.always(({ url }) => {
    const family = families[Number(/^\/family\/(\d+)\//.exec(url)?.[1])];
    const wire = family?.wire[url.includes("/responses") ? "Responses" : "Chat Completions"];
    if (!wire) throw new Error(`nobody is at ${url}`);
    return { answer: streamOf(wire, "words"), pauseAfter: 0, goOn: everybody.promise };
  });
  for (const [at, family] of families.entries()) {
    const base_url = `${upstream.url}/family/${at}`;
    const models = talkEntries.map((entry) => modelFor(family.model, entry));
    await channel(family, models, { base_url, ...family.channel?.(base_url) });
  }
  const heard = await Promise.all(
    slow.map(async ({ family: { model }, entry }): Promise<[string, Heard]> => {
      let first = "";
      const reply = await ask(access, entry, modelFor(model, entry), true, (bytes) => {
        first = Buffer.from(bytes).toString();
        waiting -= 1;
        if (waiting === 0) everybody.resolve();
      });
      return [keyOf(model, entry), { first, reply }];
    }),
  );
  return new Map(heard);
}

export function trySilences(grid: Grid, stage: Stage, tableOf: (entry: TalkEntry) => string): void {
  describe("silence", () => {
    let heard = new Map<string, Heard>();
    beforeAll(async () => {
      heard = await listen(stage);
    });
    for (const { family, entry, wire } of talks) {
      const place = { table: tableOf(entry), row: family.name, column: slowFirstWord };
      if (wire.isOneEvent) {
        grid.cannot(place, "The provider has no streams.");
        continue;
      }
      grid.try(place, "", async () => {
        const { first, reply } = heard.get(keyOf(family.model, entry)) ?? { first: "", reply: undefined };
        // A comment, which every reader of events leaves out.
        expect(first).toBe(":\n\n");
        expect(reply?.status).toBe(200);
        expect(JSON.stringify(reply?.events)).toContain("330 metres");
        const [row] = await stage.logged([modelFor(family.model, entry)]);
        expect(row).toMatchObject({ outcome: "success", completion_tokens: tokensOf.words.output });
      });
    }
  });
}
