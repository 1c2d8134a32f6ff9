// Conversations: every official library by every interface over every provider.
import { beforeAll, describe, expect } from "vitest";
import { aiAnthropic, aiGoogle, aiOpenaiChat, aiOpenaiResponses } from "./clients/ai-sdk.ts";
import { anthropicMessages } from "./clients/anthropic.ts";
import { googleGemini } from "./clients/google.ts";
import {
  langchainAnthropic,
  langchainGoogle,
  langchainOpenaiChat,
  langchainOpenaiResponses,
} from "./clients/langchain.ts";
import { openaiChat, openaiResponses } from "./clients/openai.ts";
import { type Family, families } from "./families.ts";
import type { Grid } from "./grid.ts";
import type { Play } from "./played-upstream.ts";
import type { Stage } from "./stage.ts";
import {
  type Ask,
  type Client,
  calls,
  city,
  citySchema,
  type Feature,
  features,
  picture,
  refusal,
  results,
  type Said,
  type Say,
  type Scene,
  shortened,
  type TalkEntry,
  talkEntries,
  thought,
  tokensOf,
  words,
} from "./talk.ts";
import { streamOf, type Wire, wholeOf } from "./wires.ts";

const clients: readonly Client[] = [
  openaiChat,
  aiOpenaiChat,
  langchainOpenaiChat,
  openaiResponses,
  aiOpenaiResponses,
  langchainOpenaiResponses,
  anthropicMessages,
  aiAnthropic,
  langchainAnthropic,
  googleGemini,
  aiGoogle,
  langchainGoogle,
];

const play =
  (wire: Wire, scene: Scene): Play =>
  (asked) =>
    wire.isStream(asked) ? streamOf(wire, scene) : wholeOf(wire, scene);
const ways = [
  ["whole", false],
  ["streamed", true],
] as const;

interface Case {
  stage: Stage;
  say: Say;
  entry: TalkEntry;
  family: Family;
  wire: Wire;
}

async function say(
  { stage: { upstream }, say: ask, family, wire }: Case,
  scene: Scene,
  wish: Omit<Ask, "model">,
): Promise<Said> {
  upstream.play(play(wire, scene));
  const said = await ask({ model: family.model, ...wish });
  expect(upstream.asked, "the provider is asked once").toHaveLength(1);
  const tokens = wire.tokens?.[scene] ?? tokensOf[scene];
  // Some libraries count streams in a way of their own, and some providers nothing.
  if (said.tokens && !wire.countsNothing) expect(said.tokens).toEqual(tokens);
  return said;
}
const asked = ({ stage }: Case) => stage.upstream.asked.at(-1)?.body;
/** By their content: wires and libraries word them differently. */
const told = (one: Case) => one.wire.results(asked(one)).map(unwrapped);

function unwrapped(text: string): unknown {
  const said = JSON.parse(text) as { content?: object; result?: string };
  if (said.result !== undefined) return unwrapped(said.result);
  return said.content ?? said;
}

const checks: Record<Feature, (one: Case) => Promise<void>> = {
  async chat(one) {
    const said = await say(one, "words", { isStream: false });
    expect(said).toMatchObject({ text: words, calls: [] });
    expect(said.tokens).toBeDefined();
  },

  async stream(one) {
    const said = await say(one, "words", { isStream: true });
    expect(said).toMatchObject({ text: words, calls: [] });
  },

  async tools(one) {
    for (const [, isStream] of ways) {
      const first = await say(one, "tools", { isStream, uses: "tools" });
      expect(one.wire.toolNames(asked(one))).toEqual(["get_weather", "get_time"]);
      expect(first.calls.map(({ name, input }) => ({ name, input }))).toEqual(calls);
      const last = await say(one, "words", { isStream, uses: "tools", after: first });
      expect(told(one)).toEqual([results.get_weather, results.get_time]);
      expect(last).toMatchObject({ text: words, calls: [] });
    }
  },

  async structure(one) {
    const said = await say(one, "structured", { isStream: false, uses: "structure" });
    expect(one.wire.schema(asked(one))).toMatchObject({ properties: citySchema.properties });
    expect(JSON.parse(said.text)).toEqual(city);
  },

  async vision(one) {
    const said = await say(one, "words", { isStream: false, uses: "picture" });
    expect(one.wire.pictures(asked(one))).toEqual([picture]);
    expect(said.text).toBe(words);
  },

  async thinking(one) {
    for (const [, isStream] of ways) {
      const first = await say(one, "thinking", { isStream, uses: "thinking" });
      expect(first.thought).toBe(thought);
      expect(first.calls.map(({ name, input }) => ({ name, input }))).toEqual(calls.slice(0, 1));
      const last = await say(one, "words", { isStream, uses: "thinking", after: first });
      expect(told(one)).toEqual([results.get_weather]);
      expect(last.text).toBe(words);
    }
  },

  async signatures(one) {
    for (const [, isStream] of ways) {
      const first = await say(one, "thinking", { isStream, uses: "thinking" });
      await say(one, "words", { isStream, uses: "thinking", after: first });
      expect(one.wire.signatures(asked(one))).toEqual([one.wire.signature]);
    }
  },

  async cache(one) {
    for (const [, isStream] of ways) {
      const said = await say(one, "cached", { isStream });
      if (!isStream) expect(said.tokens).toEqual(tokensOf.cached);
    }
  },

  async refusal(one) {
    for (const [, isStream] of ways) {
      const said = await say(one, "refusal", { isStream }).catch((error: unknown) => error as Error);
      if (said instanceof Error) expect(said.message).toMatch(/filter|refus|block/i);
      else expect(said.text === refusal || /filter|refus|safety|block|prohibited/i.test(said.finish)).toBe(true);
    }
  },

  async length(one) {
    for (const [, isStream] of ways) {
      const said = await say(one, "length", { isStream });
      expect(said.text).toBe(shortened);
      expect(said.finish).toMatch(/length|max_?(output_)?tokens/i);
    }
  },
};

const lostSignatures = "Signatures do not survive this translation (docs/translations.md).";

/** Why no signature comes back to a family's provider by an entry; undefined where one does. */
function whyUnsigned({ keepsSignatures, wire, lacks }: Family, entry: TalkEntry): string | undefined {
  if (keepsSignatures.includes(entry)) return undefined;
  return lacks?.signatures ?? (wire[entry].signature === undefined ? "The provider signs nothing." : lostSignatures);
}

/** A family that differs in addresses and logins alone is asked by one library of each entry: the others ask the same. */
function clientsFor({ isAnotherAddress }: Family): readonly Client[] {
  if (!isAnotherAddress) return clients;
  return talkEntries.flatMap((entry) => clients.filter((client) => client.entry === entry).slice(0, 1));
}

export function tryTalks(grid: Grid, stage: Stage): void {
  for (const family of families) {
    describe(`conversations over ${family.name}`, () => {
      beforeAll(async () => {
        await stage.channel(family, [family.model]);
      });
      for (const client of clientsFor(family)) {
        for (const column of features) tryOne(grid, stage, { family, client, column });
      }
    });
  }
}

interface Wish {
  family: Family;
  client: Client;
  column: Feature;
}

function tryOne(grid: Grid, stage: Stage, { family, client, column }: Wish): void {
  const { entry, library, cannot, connect } = client;
  const wire = family.wire[entry];
  const place = { table: entry, row: family.name, column };
  const run = (check: (one: Case) => Promise<void>) => () =>
    check({ stage, say: connect(stage.access), entry, family, wire });
  const unsigned = column === "signatures" ? whyUnsigned(family, entry) : undefined;
  const reason = unsigned ?? family.lacks?.[column];
  const lack = cannot(column, family.model);
  // What gets lost is looked at, too: else nobody would see that it does no longer.
  if (unsigned && wire.signature && !lack) grid.lacks(place, unsigned, `none by ${library}`, run(noSignatures));
  else if (reason) grid.cannot(place, reason);
  else if (lack) grid.cannot(place, `${lack}.`, library);
  else grid.try(place, library, run(checks[column]));
}

async function noSignatures(one: Case): Promise<void> {
  const first = await say(one, "thinking", { isStream: false, uses: "thinking" });
  await say(one, "words", { isStream: false, uses: "thinking", after: first });
  expect(one.wire.signatures(asked(one))).not.toContain(one.wire.signature);
}
