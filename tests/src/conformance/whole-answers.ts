// Whole answers of each format, read as its reference states them.
import type { ConversationEndpoint } from "./conversation-scenario.ts";
import type { ParsedStream } from "./stream-grammar.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of every structure are read
type WholeAnswer = any;
type AnswerContent = Pick<ParsedStream, "text" | "thought" | "calls">;

const join = (
  parts: WholeAnswer[] | undefined,
  read: (part: WholeAnswer) => string | null | undefined,
): string => (parts ?? []).map((part) => read(part) ?? "").join("");

const customInput = (input: string): string => JSON.stringify({ input });

function chat({ choices: [{ message }] }: WholeAnswer): AnswerContent {
  return {
    text: (message.content ?? "") + (message.refusal ?? ""),
    thought: message.reasoning_content ?? "",
    calls: (message.tool_calls ?? []).map(({ function: called, custom }: WholeAnswer) =>
      custom
        ? { name: custom.name, input: customInput(custom.input) }
        : { name: called.name, input: called.arguments },
    ),
  };
}

function responses({ output }: WholeAnswer): AnswerContent {
  const of = (type: string): WholeAnswer[] =>
    output.filter((item: WholeAnswer) => item.type === type);
  return {
    text: join(of("message"), ({ content }) => join(content, (part) => part.text ?? part.refusal)),
    thought: join(of("reasoning"), ({ summary }) => join(summary, (part) => part.text)),
    calls: of("function_call").map(({ name, arguments: input }) => ({ name, input })),
  };
}

function messages({ content }: WholeAnswer): AnswerContent {
  return {
    text: join(content, (block) => block.text),
    thought: join(content, (block) => block.thinking),
    calls: content
      .filter(({ type }: WholeAnswer) => type === "tool_use")
      .map(({ name, input }: WholeAnswer) => ({ name, input: JSON.stringify(input) })),
  };
}

function gemini({ candidates: [{ content }] }: WholeAnswer): AnswerContent {
  const { parts } = content;
  return {
    text: join(parts, ({ text, thought }) => (thought ? "" : text)),
    thought: join(parts, ({ text, thought }) => (thought ? text : "")),
    calls: parts
      .filter(({ functionCall }: WholeAnswer) => functionCall !== undefined)
      .map(({ functionCall }: WholeAnswer) => ({
        name: functionCall.name,
        input: JSON.stringify(functionCall.args ?? {}),
      })),
  };
}

export const wholeAnswerReaders: Readonly<
  Record<ConversationEndpoint, (answer: WholeAnswer) => AnswerContent>
> = {
  "Chat Completions": chat,
  Responses: responses,
  Messages: messages,
  Gemini: gemini,
};
