// A provider of chat completions that does one task as an agent's model would: it reads a file,
// changes it twice by the tools that the agent offers, and reports that it is done.
import type { PausedReply } from "../scripted-provider.ts";
import type { FixtureReply } from "../wire-fixtures.ts";

/** The agent's task, and the file before and after. */
export const task = "Correct the spelling of 'wrold' in greeting.txt. Change nothing else.";
/** `question` is what the agent is asked in a later run. */
export const question = "Which word did you correct? Answer in one sentence.";
export const file = "greeting.txt";
export const before = "Hello, wrold!\nGoodbye, wrold!\n";
export const after = "Hello, world!\nGoodbye, world!\n";
const edits = [
  ["Hello, wrold!", "Hello, world!"],
  ["Goodbye, wrold!", "Goodbye, world!"],
] as const;

interface OfferedTool {
  function: { name: string; parameters?: { properties?: Record<string, unknown> } };
}
export interface AgentChatBody {
  messages: { role: string; content?: unknown; tool_calls?: { extra_content?: unknown }[] }[];
  tools?: OfferedTool[];
  stream?: boolean;
}

type PlannedToolCall = { name: string; input: object };

/** Agents call the same tools by different names, and their members too. */
const readers = ["Read", "read_file", "read"];
const editors = ["Edit", "replace", "edit"];
const shells = ["shell", "shell_command", "exec_command", "Bash", "bash"];
const members = {
  path: ["file_path", "absolute_path", "filePath", "path"],
  old: ["old_string", "oldString"],
  new: ["new_string", "newString"],
} as const;

/** What to do when so many tools have answered; undefined when there is nothing left. */
function nextToolCall(
  tools: readonly OfferedTool[],
  results: number,
  folder: string,
): PlannedToolCall | undefined {
  const find = (names: readonly string[]) =>
    tools.find((tool) => names.includes(tool.function.name))?.function;
  const edit = edits[results - 1];
  if (results > edits.length) return undefined;
  const tool = find(edit ? editors : readers);
  const path = `${folder}/${file}`;
  if (!tool)
    return byShell(
      find(shells),
      edit ? `sed -i 's/${edit[0]}/${edit[1]}/' ${path}` : `cat ${path}`,
    );
  const parameters = tool.parameters?.properties ?? {};
  const member = (of: keyof typeof members) =>
    members[of].find((name) => name in parameters) ?? members[of][0];
  const more = "instruction" in parameters ? { instruction: "Correct the spelling." } : {};
  if (!edit) return { name: tool.name, input: { [member("path")]: path } };
  return {
    name: tool.name,
    input: { [member("path")]: path, [member("old")]: edit[0], [member("new")]: edit[1], ...more },
  };
}

function byShell(
  tool: OfferedTool["function"] | undefined,
  command: string,
): PlannedToolCall | undefined {
  if (!tool) return undefined;
  const { command: commandSchema } = (tool.parameters?.properties ?? {}) as {
    command?: { type?: string };
  };
  if (!commandSchema) return { name: tool.name, input: { cmd: command } };
  return {
    name: tool.name,
    input: { command: commandSchema.type === "array" ? ["bash", "-c", command] : command },
  };
}

/** The first words of an answer, and nothing more until `resume` resolves. */
export function beginReply(resume: Promise<void>): PausedReply {
  const delta = {
    role: "assistant",
    content: "I look at the file first, because I have not seen it yet.",
  };
  const choices = [{ index: 0, delta, finish_reason: null }];
  const event = {
    id: "chatcmpl-begun",
    object: "chat.completion.chunk",
    created: 1_763_700_000,
    model: "brain",
    choices,
  };
  const begun = answer("text/event-stream", sse(JSON.stringify(event)));
  return { answer: begun, pauseAfter: begun.bytes.length, resume };
}

/**
 * `thought` is what a model that thinks does before each call, and what its provider signs the call
 * with.
 */
const thought = "The file has two greetings, and both are misspelt.";
export const signature = "c2lnbmVkIGJ5IHRoZSBtb2RlbA==";
/** What the model makes of a conversation that the agent has it shorten. */
export const summary = "Two greetings in one file were misspelt; the agent corrected both.";
/**
 * `asksForSummary` says how agents ask for it: reminders that they add to other questions hold
 * plainer words.
 */
const asksForSummary =
  /create a (?:detailed|handoff) summary|<state_snapshot>|checkpoint compaction|continuing our conversation/i;

const shortPromptTokens = 100;

export interface ModelManner {
  thinks?: boolean;
  /** The size of the conversation once the task is done, as the provider counts it. */
  promptTokens?: number;
}

export const isAskedForSummary = ({ messages }: AgentChatBody): boolean =>
  asksForSummary.test(
    JSON.stringify(messages.findLast(({ role }) => role === "user")?.content ?? ""),
  );

export function planReply(
  body: AgentChatBody,
  folder: string,
  manner: ModelManner = {},
): FixtureReply {
  const { messages, tools = [], stream } = body;
  const { thinks = false, promptTokens = shortPromptTokens } = manner;
  const results = messages.filter(({ role }) => role === "tool").length;
  const called =
    tools.length > 0 && !isAskedForSummary(body) ? nextToolCall(tools, results, folder) : undefined;
  const reasoning = thinks && called ? { reasoning_content: thought } : {};
  const signed = thinks ? { extra_content: { google: { thought_signature: signature } } } : {};
  const words = isAskedForSummary(body) ? summary : "Both greetings are spelt correctly now.";
  const message = called
    ? { content: null, ...reasoning, tool_calls: [{ ...callOf(called, results), ...signed }] }
    : { content: words };
  const finish_reason = called ? "tool_calls" : "stop";
  const prompt_tokens = (called ? shortPromptTokens : promptTokens) + results;
  const usage = { prompt_tokens, completion_tokens: 20, total_tokens: prompt_tokens + 20 };
  const head = { id: `chatcmpl-${results}`, created: 1_763_700_000, model: "brain" };
  if (stream !== true) {
    const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }];
    return answer(
      "application/json",
      JSON.stringify({ ...head, object: "chat.completion", choices, usage }),
    );
  }
  const chunk = (delta: object, reason: string | null) => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const events = [
    chunk({ role: "assistant", content: "", ...reasoning }, null),
    chunk(
      called
        ? { tool_calls: [{ index: 0, ...callOf(called, results), ...signed }] }
        : { content: words },
      null,
    ),
    chunk({}, finish_reason),
    { ...head, object: "chat.completion.chunk", choices: [], usage },
  ];
  return answer(
    "text/event-stream",
    [...events.map((event) => JSON.stringify(event)), "[DONE]"].map(sse).join(""),
  );
}

const callOf = ({ name, input }: PlannedToolCall, results: number) => ({
  id: `call_${results}`,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});
const sse = (data: string): string => `data: ${data}\n\n`;
const answer = (type: string, text: string): FixtureReply => ({
  status: 200,
  headers: { "content-type": type },
  bytes: Buffer.from(text),
});
