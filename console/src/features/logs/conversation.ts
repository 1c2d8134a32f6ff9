/**
 * `ConversationTurn` is what was said in a call, read from the kept request and answer of any API
 * format: roles and texts, in order. What it does not know is left out; the texts as they were sent
 * stand beside it. Pure.
 */
export type ConversationTurn = {
  /** The role as the format names it, such as `user`, `assistant`, `system`, `tool`. */
  role: string;
  text: string;
};

type MessagePart = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is MessagePart =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const readList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const readText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Deeper contents are no conversation. */
const depthMax = 8;

/**
 * The texts of a content: a string, a list of parts, or an object with a text; of calls of tools
 * their names and arguments.
 */
function formatContentText(content: unknown, depth = 0): string {
  if (depth > depthMax) return "";
  if (typeof content === "string") return content;
  if (Array.isArray(content))
    return content
      .map((part) => formatContentText(part, depth + 1))
      .filter((text) => text !== "")
      .join("\n");
  if (!isRecord(content)) return "";
  const {
    text,
    thinking,
    refusal,
    functionCall,
    function: called,
    name,
    input,
    arguments: given,
  } = content;
  if (typeof text === "string") return text;
  if (typeof thinking === "string") return thinking;
  if (typeof refusal === "string") return refusal;
  const tool = isRecord(functionCall) ? functionCall : isRecord(called) ? called : undefined;
  if (tool) return formatToolText(readText(tool.name), tool.args ?? tool.arguments);
  if (typeof name === "string" && (input !== undefined || given !== undefined))
    return formatToolText(name, input ?? given);
  return formatContentText(
    content.content ?? content.parts ?? content.output ?? content.response,
    depth + 1,
  );
}

const formatToolText = (name: string, given: unknown): string =>
  `${name}(${typeof given === "string" ? given : JSON.stringify(given ?? {})})`;

const readTurns = (message: unknown, otherwise: string): ConversationTurn[] => {
  if (typeof message === "string") return [{ role: otherwise, text: message }];
  if (!isRecord(message)) return [];
  const texts = [
    formatContentText(message),
    ...readList(message.tool_calls).map((call) => formatContentText(call)),
    readText(message.reasoning_content),
  ];
  const text = texts.filter((one) => one !== "").join("\n");
  const role = readText(message.role) || readText(message.type).replace("message", "") || otherwise;
  return text === "" ? [] : [{ role, text }];
};

function parseReply(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function requestTurns(request: unknown): ConversationTurn[] {
  if (!isRecord(request)) return [];
  const system = [request.system, request.instructions, request.systemInstruction].flatMap((one) =>
    readTurns(isRecord(one) || typeof one === "string" ? one : { content: one }, "system"),
  );
  const { messages, contents, input, prompt } = request;
  const said = [messages, contents, input, prompt].flatMap((one) =>
    typeof one === "string"
      ? readTurns(one, "user")
      : readList(one).flatMap((message) => readTurns(message, "user")),
  );
  return [...system.map(({ text }) => ({ role: "system", text })), ...said];
}

/** Members under which formats put what was answered. */
function answerTurns(answer: unknown): ConversationTurn[] {
  if (!isRecord(answer)) return [];
  const { choices, candidates, output, content, error } = answer;
  const messages = [
    ...readList(choices).map((choice) => (isRecord(choice) ? (choice.message ?? choice) : choice)),
    ...readList(candidates).map((candidate) =>
      isRecord(candidate) ? candidate.content : candidate,
    ),
    ...readList(output),
    ...(content === undefined ? [] : [{ content }]),
  ];
  const turns = messages.flatMap((message) => readTurns(message, "assistant"));
  const message = isRecord(error) ? readText(error.message) : readText(error);
  return message === "" ? turns : [...turns, { role: "error", text: message }];
}

/** `formatEventText` gives what one event of a stream adds. */
function formatEventText(event: unknown): string {
  if (!isRecord(event)) return "";
  const { choices, candidates, delta, type } = event;
  const pieces = [
    ...readList(choices).map((choice) => (isRecord(choice) ? (choice.delta ?? choice.text) : "")),
    ...readList(candidates).map((candidate) => (isRecord(candidate) ? candidate.content : "")),
  ].map(formatDeltaText);
  if (delta !== undefined && !/\.done$/.test(readText(type))) pieces.push(formatDeltaText(delta));
  return pieces.join("");
}

function formatDeltaText(delta: unknown): string {
  if (typeof delta === "string" || !isRecord(delta)) return readText(delta);
  const { reasoning_content, partial_json, tool_calls } = delta;
  const calls = readList(tool_calls).map((call) => {
    const called = isRecord(call) && isRecord(call.function) ? call.function : {};
    return readText(called.name) + readText(called.arguments);
  });
  return (
    readText(reasoning_content) + readText(partial_json) + formatContentText(delta) + calls.join("")
  );
}

function streamTurns(text: string): ConversationTurn[] {
  const events = text
    .split("\n")
    .flatMap((line) => (line.startsWith("data:") ? [parseReply(line.slice(5))] : []));
  const answer = events.map(formatEventText).join("");
  const errors = events.flatMap((event) =>
    isRecord(event) ? answerTurns({ error: event.error }) : [],
  );
  return [...(answer === "" ? [] : [{ role: "assistant", text: answer }]), ...errors];
}

/** `type` is the media type of the answer. */
export const readConversation = (
  request: string,
  answer: string,
  type: string,
): ConversationTurn[] => [
  ...requestTurns(parseReply(request)),
  ...(type.includes("event-stream") ? streamTurns(answer) : answerTurns(parseReply(answer))),
];
