// What every conversation of these tests is about: all fixtures have the same content, each in its
// own format.

/** The parts of an interface that are tried, in the order of the grid's columns. */
export const conformanceFeatures = [
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
export type ConformanceFeature = (typeof conformanceFeatures)[number];

/** Interfaces for conversations, by the names of the grid. */
export const conversationEndpoints = [
  "Chat Completions",
  "Responses",
  "Messages",
  "Gemini",
] as const;
export type ConversationEndpoint = (typeof conversationEndpoints)[number];

/** Names of fixtures; every wire has each of them whole and as a stream. */
export type ScenarioName =
  | "words"
  | "tools"
  | "structured"
  | "thinking"
  | "cached"
  | "refusal"
  | "length";

export const prompt = "How high is the Eiffel Tower?";
export const answerText = "The Eiffel Tower is 330 metres high – 🗼.";
export const reasoningText = "The user asks for the weather, so I look it up first.";
export const refusal = "I can't help with that.";
export const truncatedText = "The Eiffel Tower is";
export const city = { city: "Paris", population: 2_102_650 };
export const expectedToolCalls = [
  { name: "get_weather", input: { city: "Paris" } },
  { name: "get_time", input: { zone: "Asia/Tokyo" } },
];
export const toolResults: Readonly<Record<string, object>> = {
  get_weather: { sky: "sunny", celsius: 21 },
  get_time: { time: "09:30" },
};
/** A red dot. */
export const imageBase64 =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const textOf = (name: string) => ({
  type: "object" as const,
  properties: { [name]: { type: "string" } },
  required: [name],
});
export const toolDefinitions = [
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
export interface ScenarioUsage {
  input: number;
  output: number;
  cached: number;
}
export const scenarioUsage: Readonly<Record<ScenarioName, ScenarioUsage>> = {
  words: { input: 24, output: 12, cached: 0 },
  tools: { input: 82, output: 37, cached: 0 },
  structured: { input: 40, output: 14, cached: 0 },
  thinking: { input: 60, output: 45, cached: 0 },
  cached: { input: 900, output: 5, cached: 700 },
  refusal: { input: 18, output: 9, cached: 0 },
  length: { input: 24, output: 4, cached: 0 },
};

export interface LibraryRequest {
  model: string;
  isStream: boolean;
  uses?: "tools" | "structure" | "picture" | "thinking";
  /** The turn before, whose calls now have results. */
  after?: LibraryReply;
}

export interface LibraryReply {
  text: string;
  thought: string;
  calls: { id: string; name: string; input: unknown }[];
  /** `tokens` are as the library counts; undefined where it does not. */
  tokens: ScenarioUsage | undefined;
  /** `finish` says why the model stopped, by the library's word. */
  finish: string;
  /** `turn` is what the next call has to send back: the library's own business. */
  turn: unknown;
}

export type SendLibraryRequest = (ask: LibraryRequest) => Promise<LibraryReply>;

/** `LibraryClient` is one official library asking by one interface. */
export interface LibraryClient {
  library: string;
  entry: ConversationEndpoint;
  /**
   * `cannot` says why the library itself cannot do it with a model of this name: no fault of the
   * gateway's.
   */
  cannot(feature: ConformanceFeature, model: string): string | undefined;
  connect(access: GatewayAccess): SendLibraryRequest;
}

export interface GatewayAccess {
  url: string;
  key: string;
}

export const joinText = (parts: readonly (string | null | undefined)[]): string =>
  parts.map((part) => part ?? "").join("");
export const toolResultText = (name: string): string => JSON.stringify(toolResults[name]);
