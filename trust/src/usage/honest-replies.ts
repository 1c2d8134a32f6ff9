// Whole replies of providers that count honestly: the words of a model in one body, with the counts
// that end its stream.
import type { ApiEndpoint } from "@tollgate/gateway/relay/formats/api-format.ts";
import { type JsonRecord, parseObject, record } from "@tollgate/gateway/relay/wire/json-parts.ts";
import type { HonestCounts, HonestProvider, OutputKind, WrittenWord } from "./honest-provider.ts";

const base64Of = (word: string): string => Buffer.from(word).toString("base64");
const wordsOf = (words: readonly WrittenWord[], ...kinds: readonly OutputKind[]): string =>
  words.flatMap(({ kind, word }) => (kinds.includes(kind) ? word : [])).join("");
/** `partsOf` gives one for each word of these kinds. */
const partsOf = (
  words: readonly WrittenWord[],
  kinds: readonly OutputKind[],
  part: (word: string) => JsonRecord,
): JsonRecord[] => words.filter(({ kind }) => kinds.includes(kind)).map(({ word }) => part(word));
/** `n` answers, each with the words of its own. */
const answersOf = (words: readonly WrittenWord[]): [answer: number, words: WrittenWord[]][] =>
  [...Map.groupBy(words, ({ answer }) => answer)].toSorted(([one], [other]) => one - other);

/**
 * Every count that the provider reports in the course of a stream; later ones replace earlier ones.
 */
function countsIn(events: readonly string[]): JsonRecord {
  const counts = events.map((event) => {
    const { usage, usageMetadata, message, response, metadata } = parseObject(
      event.replace(/^data: /, ""),
    );
    return [
      usage,
      usageMetadata,
      ...[message, response, metadata].map((part) => record(part).usage),
    ].map(record);
  });
  return Object.assign({}, ...counts.flat());
}

function chatMessage(words: readonly WrittenWord[]): JsonRecord {
  const calls = [
    ...partsOf(words, ["arguments"], (word) => ({
      type: "function",
      function: { name: "f", arguments: word },
    })),
    ...partsOf(words, ["custom"], (word) => ({
      type: "custom",
      custom: { name: "c", input: word },
    })),
    ...partsOf(words, ["remote"], (word) => ({
      type: "mcp",
      mcp: { server_label: "tools", arguments: word },
    })),
  ];
  const images = partsOf(words, ["image"], (word) => ({
    type: "image_url",
    image_url: { url: `data:image/png;base64,${base64Of(word)}` },
  }));
  return {
    role: "assistant",
    content: wordsOf(words, "text", "scored"),
    reasoning_content: wordsOf(words, "reasoning"),
    tool_calls: calls.map((call, index) => ({ id: `call_${index}`, ...call })),
    function_call: { name: "f", arguments: wordsOf(words, "legacy") },
    hologram: partsOf(words, ["newer"], (word) => ({ glyphs: word })),
    reasoning_details: partsOf(words, ["sealed"], (word) => ({
      type: "reasoning.encrypted",
      data: base64Of(word),
    })),
    executed_tools: partsOf(words, ["program"], (word) => ({
      index: 0,
      type: "python",
      arguments: word,
    })),
    images,
    files: partsOf(words, ["file"], (word) => ({ filename: "a.txt", file_data: word })),
    audio: {
      id: "audio_1",
      data: base64Of(wordsOf(words, "audio")),
      transcript: wordsOf(words, "audio"),
    },
  };
}

const source = (media_type: string, word: string): JsonRecord => ({
  type: "base64",
  media_type,
  data: base64Of(word),
});
const messageBlocks = (words: readonly WrittenWord[]): JsonRecord[] => [
  ...partsOf(words, ["reasoning"], (thinking) => ({ type: "thinking", thinking, signature: "s" })),
  ...partsOf(words, ["text", "scored"], (word) => ({ type: "text", text: word })),
  ...partsOf(words, ["arguments", "custom", "legacy"], (word) => ({
    type: "tool_use",
    id: "toolu_1",
    name: "f",
    input: { a: word },
  })),
  ...partsOf(words, ["newer"], (glyphs) => ({ type: "hologram", glyphs })),
  ...partsOf(words, ["sealed"], (word) => ({ type: "redacted_thinking", data: base64Of(word) })),
  ...partsOf(words, ["program"], (code) => ({
    type: "server_tool_use",
    id: "srvtoolu_1",
    name: "code_execution",
    input: { code },
  })),
  ...partsOf(words, ["image"], (word) => ({ type: "image", source: source("image/png", word) })),
  ...partsOf(words, ["audio"], (word) => ({ type: "audio", source: source("audio/wav", word) })),
  ...partsOf(words, ["file"], (file_id) => ({ type: "container_upload", file_id })),
  ...partsOf(words, ["remote"], (query) => ({
    type: "mcp_tool_use",
    id: "mcp_1",
    name: "look",
    server_name: "tools",
    input: { query },
  })),
];

const responseItems = (words: readonly WrittenWord[]): JsonRecord[] => [
  ...partsOf(words, ["reasoning"], (word) => ({
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: word }],
  })),
  ...partsOf(words, ["text", "scored"], (word) => ({
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text: word, annotations: [] }],
  })),
  ...partsOf(words, ["arguments"], (word) => ({
    type: "function_call",
    call_id: "c",
    name: "f",
    arguments: JSON.stringify({ a: word }),
  })),
  ...partsOf(words, ["custom"], (input) => ({
    type: "custom_tool_call",
    call_id: "c",
    name: "f",
    input,
  })),
  ...partsOf(words, ["legacy", "file"], (code) => ({ type: "code_interpreter_call", code })),
  ...partsOf(words, ["newer"], (word) => ({ type: "hologram", layers: [word] })),
  ...partsOf(words, ["sealed"], (word) => ({
    type: "reasoning",
    id: "rs_1",
    summary: [],
    encrypted_content: base64Of(word),
  })),
  ...partsOf(words, ["program"], (code) => ({
    type: "code_interpreter_call",
    id: "ci_1",
    container_id: "cntr_1",
    code,
    outputs: null,
  })),
  ...partsOf(words, ["audio"], (word) => ({
    type: "message",
    role: "assistant",
    content: [{ type: "output_audio", data: base64Of(word), transcript: word }],
  })),
  ...partsOf(words, ["image"], (word) => ({
    type: "image_generation_call",
    status: "completed",
    result: base64Of(word),
  })),
  ...partsOf(words, ["remote"], (word) => ({
    type: "mcp_call",
    name: "look",
    server_label: "tools",
    arguments: word,
  })),
];

const inlineData = (mimeType: string, word: string): JsonRecord => ({
  inlineData: { mimeType, data: base64Of(word) },
});
const geminiParts = (words: readonly WrittenWord[]): JsonRecord[] => [
  ...partsOf(words, ["reasoning"], (word) => ({ text: word, thought: true })),
  ...partsOf(words, ["text", "scored", "legacy"], (word) => ({ text: word })),
  ...partsOf(words, ["arguments", "remote"], (word) => ({
    functionCall: { name: "f", args: { a: word } },
  })),
  ...partsOf(words, ["custom", "program"], (code) => ({
    executableCode: { language: "PYTHON", code },
  })),
  ...partsOf(words, ["sealed"], (word) => ({
    text: word,
    thought: true,
    thoughtSignature: base64Of(word),
  })),
  ...partsOf(words, ["newer"], (glyphs) => ({ hologram: { glyphs } })),
  ...partsOf(words, ["image"], (word) => inlineData("image/png", word)),
  ...partsOf(words, ["audio"], (word) => inlineData("audio/wav", word)),
  ...partsOf(words, ["file"], (word) => inlineData("text/plain", word)),
];

const converseBlocks = (words: readonly WrittenWord[]): JsonRecord[] => [
  ...partsOf(words, ["reasoning"], (word) => ({
    reasoningContent: { reasoningText: { text: word, signature: "s" } },
  })),
  ...partsOf(words, ["text", "scored", "legacy"], (word) => ({ text: word })),
  ...partsOf(words, ["sealed"], (word) => ({
    reasoningContent: { redactedContent: base64Of(word) },
  })),
  ...partsOf(words, ["arguments", "custom", "remote", "program"], (word) => ({
    toolUse: { toolUseId: "t", name: "f", input: { a: word } },
  })),
  ...partsOf(words, ["newer"], (glyphs) => ({ hologram: { glyphs } })),
  ...partsOf(words, ["image"], (word) => ({
    image: { format: "png", source: { bytes: base64Of(word) } },
  })),
  ...partsOf(words, ["audio"], (word) => ({
    audio: { format: "wav", source: { bytes: base64Of(word) } },
  })),
  ...partsOf(words, ["file"], (word) => ({
    document: { format: "txt", name: "a", source: { text: word } },
  })),
];

type WriteReply = (
  words: readonly WrittenWord[],
  usage: JsonRecord,
  counts: HonestCounts,
) => JsonRecord;
const replies: Readonly<Partial<Record<ApiEndpoint, WriteReply>>> = {
  chat_completions: (words, usage) => ({
    id: "c",
    object: "chat.completion",
    model: "m",
    choices: answersOf(words).map(([index, own]) => ({
      index,
      message: chatMessage(own),
      finish_reason: "stop",
    })),
    usage,
  }),
  claude_messages: (words, usage) => ({
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    content: messageBlocks(words),
    stop_reason: "end_turn",
    usage,
  }),
  response_api: (words, usage, { searches }) => ({
    id: "r",
    object: "response",
    status: "completed",
    model: "m",
    output: [
      ...Array.from({ length: searches }, () => ({ type: "web_search_call", status: "completed" })),
      ...responseItems(words),
    ],
    usage,
  }),
  gemini: (words, usageMetadata) => ({
    candidates: answersOf(words).map(([index, own]) => ({
      index,
      content: { role: "model", parts: geminiParts(own) },
      finishReason: "STOP",
    })),
    usageMetadata,
  }),
  bedrock_converse: (words, usage) => ({
    output: { message: { role: "assistant", content: converseBlocks(words) } },
    stopReason: "end_turn",
    usage,
    metrics: { latencyMs: 5 },
  }),
};

/** `honestReply` gives what the provider answers without streaming. */
export function honestReply(
  { speaks, stream }: HonestProvider,
  words: readonly WrittenWord[],
  counts: HonestCounts,
): JsonRecord {
  const write = replies[speaks];
  if (!write) throw new Error(`no whole reply is known of ${speaks}`);
  return write(words, countsIn(stream(words, counts).events), counts);
}
