// What every conversation of these tests is about: the fixtures of all providers say the same, each in its own words.

/** The parts of an interface that are tried, in the order of the grid's columns. */
export const features = [
  "chat",
  "stream",
  "tools",
  "structure",
  "vision",
  "thinking",
  "signatures",
  "cache",
  "refusal",
  "length",
] as const;
export type Feature = (typeof features)[number];

/** Interfaces for conversations, by the names of the grid. */
export const talkEntries = ["Chat Completions", "Responses", "Messages", "Gemini"] as const;
export type TalkEntry = (typeof talkEntries)[number];

/** Names of fixtures; every wire has each of them whole and as a stream. */
export type Scene = "words" | "tools" | "structured" | "thinking" | "cached" | "refusal" | "length";

export const prompt = "How high is the Eiffel Tower?";
export const words = "The Eiffel Tower is 330 metres high – 🗼.";
export const thought = "The user asks for the weather, so I look it up first.";
export const refusal = "I can't help with that.";
export const shortened = "The Eiffel Tower is";
export const city = { city: "Paris", population: 2_102_650 };
export const calls = [
  { name: "get_weather", input: { city: "Paris" } },
  { name: "get_time", input: { zone: "Asia/Tokyo" } },
];
export const results: Readonly<Record<string, object>> = {
  get_weather: { sky: "sunny", celsius: 21 },
  get_time: { time: "09:30" },
};
/** A red dot. */
export const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const textOf = (name: string) => ({
  type: "object" as const,
  properties: { [name]: { type: "string" } },
  required: [name],
});
export const tools = [
  { name: "get_weather", description: "The weather of a city", schema: textOf("city") },
  { name: "get_time", description: "The time in a zone", schema: textOf("zone") },
];
export const citySchema = {
  type: "object" as const,
  properties: { city: { type: "string" }, population: { type: "integer" } },
  required: ["city", "population"],
  additionalProperties: false,
};

/** Tokens that the fixtures of a scene count; the prompt's contain those of the cache. */
export interface Tokens {
  input: number;
  output: number;
  cached: number;
}
export const tokensOf: Readonly<Record<Scene, Tokens>> = {
  words: { input: 24, output: 12, cached: 0 },
  tools: { input: 82, output: 37, cached: 0 },
  structured: { input: 40, output: 14, cached: 0 },
  thinking: { input: 60, output: 45, cached: 0 },
  cached: { input: 900, output: 5, cached: 700 },
  refusal: { input: 18, output: 9, cached: 0 },
  length: { input: 24, output: 4, cached: 0 },
};

export interface Ask {
  model: string;
  isStream: boolean;
  uses?: "tools" | "structure" | "picture" | "thinking";
  /** The turn before, whose calls now have results. */
  after?: Said;
}

export interface Said {
  text: string;
  thought: string;
  calls: { id: string; name: string; input: unknown }[];
  /** As the library counts; undefined where it does not. */
  tokens: Tokens | undefined;
  /** Why the model stopped, by the library's word. */
  finish: string;
  /** What the next call has to send back: the library's own business. */
  turn: unknown;
}

export type Say = (ask: Ask) => Promise<Said>;

/** One official library asking by one interface. */
export interface Client {
  library: string;
  entry: TalkEntry;
  /** Why the library itself cannot do it with a model of this name: no fault of the gateway's. */
  cannot(feature: Feature, model: string): string | undefined;
  connect(access: Access): Say;
}

export interface Access {
  url: string;
  key: string;
}

export const joined = (parts: readonly (string | null | undefined)[]): string =>
  parts.map((part) => part ?? "").join("");
export const resultOf = (name: string): string => JSON.stringify(results[name]);
