/**
 * What was said in a call, read from the kept request and answer of any API format: roles and texts, in order. What it does not
 * know is left out; the texts as they were sent stand beside it. Pure.
 */
export type ConversationTurn = {
  /** As the format names it, such as `user`, `assistant`, `system`, `tool`. */
  role: string;
  text: string;
};

type MessagePart = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is MessagePart =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Deeper contents are no conversation. */
const depthMax = 8;

/** The texts of a content: a string, a list of parts, or an object with a text; of calls of tools their names and arguments. */
function contentText(content: unknown, depth = 0): string {
  if (depth > depthMax) return "";
  if (typeof content === "string") return content;
  if (Array.isArray(content))
    return content
      .map((part) => contentText(part, depth + 1))
      .filter((text) => text !== "")
      .join("\n");
  if (!isRecord(content)) return "";
  const { text, thinking, refusal, functionCall, function: called, name, input, arguments: given } = content;
  if (typeof text === "string") return text;
  if (typeof thinking === "string") return thinking;
  if (typeof refusal === "string") return refusal;
  const tool = isRecord(functionCall) ? functionCall : isRecord(called) ? called : undefined;
  if (tool) return toolText(textOf(tool.name), tool.args ?? tool.arguments);
  if (typeof name === "string" && (input !== undefined || given !== undefined)) return toolText(name, input ?? given);
  return contentText(content.content ?? content.parts ?? content.output ?? content.response, depth + 1);
}

const toolText = (name: string, given: unknown): string =>
  `${name}(${typeof given === "string" ? given : JSON.stringify(given ?? {})})`;

const turnOf = (message: unknown, otherwise: string): ConversationTurn[] => {
  if (typeof message === "string") return [{ role: otherwise, text: message }];
  if (!isRecord(message)) return [];
  const texts = [
    contentText(message),
    ...listOf(message.tool_calls).map((call) => contentText(call)),
    textOf(message.reasoning_content),
  ];
  const text = texts.filter((one) => one !== "").join("\n");
  const role = textOf(message.role) || textOf(message.type).replace("message", "") || otherwise;
  return text === "" ? [] : [{ role, text }];
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function requestTurns(request: unknown): ConversationTurn[] {
  if (!isRecord(request)) return [];
  const system = [request.system, request.instructions, request.systemInstruction].flatMap((one) =>
    turnOf(isRecord(one) || typeof one === "string" ? one : { content: one }, "system"),
  );
  const { messages, contents, input, prompt } = request;
  const said = [messages, contents, input, prompt].flatMap((one) =>
    typeof one === "string" ? turnOf(one, "user") : listOf(one).flatMap((message) => turnOf(message, "user")),
  );
  return [...system.map(({ text }) => ({ role: "system", text })), ...said];
}

/** Members under which formats put what was answered. */
function answerTurns(answer: unknown): ConversationTurn[] {
  if (!isRecord(answer)) return [];
  const { choices, candidates, output, content, error } = answer;
  const messages = [
    ...listOf(choices).map((choice) => (isRecord(choice) ? (choice.message ?? choice) : choice)),
    ...listOf(candidates).map((candidate) => (isRecord(candidate) ? candidate.content : candidate)),
    ...listOf(output),
    ...(content === undefined ? [] : [{ content }]),
  ];
  const turns = messages.flatMap((message) => turnOf(message, "assistant"));
  const message = isRecord(error) ? textOf(error.message) : textOf(error);
  return message === "" ? turns : [...turns, { role: "error", text: message }];
}

/** What one event of a stream adds. */
function eventText(event: unknown): string {
  if (!isRecord(event)) return "";
  const { choices, candidates, delta, type } = event;
  const pieces = [
    ...listOf(choices).map((choice) => (isRecord(choice) ? (choice.delta ?? choice.text) : "")),
    ...listOf(candidates).map((candidate) => (isRecord(candidate) ? candidate.content : "")),
  ].map(deltaText);
  if (delta !== undefined && !/\.done$/.test(textOf(type))) pieces.push(deltaText(delta));
  return pieces.join("");
}

function deltaText(delta: unknown): string {
  if (typeof delta === "string" || !isRecord(delta)) return textOf(delta);
  const { reasoning_content, partial_json, tool_calls } = delta;
  const calls = listOf(tool_calls).map((call) => {
    const called = isRecord(call) && isRecord(call.function) ? call.function : {};
    return textOf(called.name) + textOf(called.arguments);
  });
  return textOf(reasoning_content) + textOf(partial_json) + contentText(delta) + calls.join("");
}

function streamTurns(text: string): ConversationTurn[] {
  const events = text.split("\n").flatMap((line) => (line.startsWith("data:") ? [parsed(line.slice(5))] : []));
  const answer = events.map(eventText).join("");
  const errors = events.flatMap((event) => (isRecord(event) ? answerTurns({ error: event.error }) : []));
  return [...(answer === "" ? [] : [{ role: "assistant", text: answer }]), ...errors];
}

/** `type` is the media type of the answer. */
export const readConversation = (request: string, answer: string, type: string): ConversationTurn[] => [
  ...requestTurns(parsed(request)),
  ...(type.includes("event-stream") ? streamTurns(answer) : answerTurns(parsed(answer))),
];
