// What each answer costs: the provider's own count, and the same whether it was streamed or not. And whether what was
// streamed keeps the grammar of the entry.
import { beforeAll, describe, expect } from "vitest";
import { type Family, families } from "./families.ts";
import { readers } from "./grammar.ts";
import type { Grid } from "./grid.ts";
import { ask } from "./raw.ts";
import type { Stage } from "./stage.ts";
import {
  calls,
  city,
  type Feature,
  type Scene,
  shortened,
  type TalkEntry,
  talkEntries,
  thought,
  tokensOf,
  words,
} from "./talk.ts";
import { streamOf, wholeOf } from "./wires.ts";

const sceneOf: Readonly<Record<Scene, Feature>> = {
  words: "chat",
  tools: "tools",
  structured: "structure",
  thinking: "thinking",
  cached: "cache",
  refusal: "refusal",
  length: "length",
};
const scenesOf = ({ lacks = {} }: Family): Scene[] =>
  (Object.keys(sceneOf) as Scene[]).filter((scene) => lacks[sceneOf[scene]] === undefined);

/** Answer tokens cost four times as much as those of the prompt in all channels of these tests. */
const outputRatio = 4;

const modelFor = ({ model }: Family, entry: TalkEntry): string => `${model}-bill-${entry.replace(" ", "-")}`;

/** What callers read of each scene, for whoever looks at it after the bills. */
const streams = new Map<string, string>();
const streamKey = ({ name }: Family, entry: TalkEntry, scene: Scene): string => `${name} ${entry} ${scene}`;

/** What the streams of these scenes say. */
const sayings: Partial<Record<Scene, string>> = { words, structured: JSON.stringify(city), length: shortened };

function grammar(family: Family, entry: TalkEntry): void {
  for (const scene of scenesOf(family)) {
    const heard = readers[entry](streams.get(streamKey(family, entry, scene)) ?? "");
    const saying = sayings[scene];
    if (saying !== undefined) expect(heard.text, scene).toBe(saying);
    if (scene === "thinking") expect(heard.thought).toBe(thought);
    if (scene !== "tools") continue;
    expect(heard.calls.map(({ name, input }) => ({ name, input: JSON.parse(input) as unknown }))).toEqual(calls);
  }
}

async function bill(stage: Stage, family: Family, entry: TalkEntry): Promise<void> {
  const model = modelFor(family, entry);
  const wire = family.wire[entry];
  const scenes = scenesOf(family);
  const { upstream, access } = stage;
  for (const scene of scenes) {
    for (const isStream of [false, true]) {
      upstream.play((asked) => (wire.isStream(asked) ? streamOf(wire, scene) : wholeOf(wire, scene)));
      const { text } = await ask(access, entry, model, isStream);
      if (isStream) streams.set(streamKey(family, entry, scene), text);
    }
  }
  const rows = await stage.logged([model]);
  expect(rows).toHaveLength(2 * scenes.length);
  for (const [at, scene] of scenes.entries()) {
    const [whole, streamed] = rows.slice(2 * at, 2 * at + 2).map((row) => ({
      outcome: row.outcome,
      input: row.prompt_tokens,
      output: row.completion_tokens,
      cached: row.cached_prompt_tokens,
      written: row.cache_write_5m_tokens,
      quota: row.quota,
      content: row.content,
    }));
    expect(streamed, scene).toEqual(whole);
    const tokens = wire.tokens?.[scene] ?? tokensOf[scene];
    const written = scene === "cached" ? (wire.writesToCache ?? 0) : 0;
    if (wire.countsNothing) expect(whole?.output, scene).toBeGreaterThan(0);
    else expect(whole, scene).toMatchObject({ outcome: "success", ...tokens, written, content: "" });
    if (tokens.cached === 0 && !wire.countsNothing)
      expect(whole?.quota, scene).toBe(tokens.input + outputRatio * tokens.output);
  }
}

export function tryBills(grid: Grid, stage: Stage): void {
  for (const family of families) {
    describe(`bills over ${family.name}`, () => {
      beforeAll(async () => {
        await stage.channel(
          family,
          talkEntries.map((entry) => modelFor(family, entry)),
        );
      });
      for (const entry of talkEntries) {
        const place = { table: entry, row: family.name, column: "bill" };
        grid.try(place, "", () => bill(stage, family, entry));
        grid.try({ ...place, column: "grammar" }, "", async () => grammar(family, entry));
      }
    });
  }
}
