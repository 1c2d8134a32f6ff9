/** All answers that real providers gave, by the format that they speak. */
import { noUsage, type Usage } from "@tollgate/gateway/money/prices/price.ts";
import type { AnswerFormat, RecordedAnswer } from "./recorded-answer.ts";
import { chat } from "./recorded-chat.ts";
import { bedrock, gemini } from "./recorded-gemini-and-converse.ts";
import { messages } from "./recorded-messages.ts";
import { responses } from "./recorded-responses.ts";

const of = (
  speaks: AnswerFormat,
  answers: readonly Omit<RecordedAnswer, "speaks">[],
): RecordedAnswer[] => answers.map((answer) => ({ ...answer, speaks }));

export const recordedAnswers: readonly RecordedAnswer[] = [
  ...of("chat_completions", chat),
  ...of("response_api", responses),
  ...of("claude_messages", messages),
  ...of("gemini", gemini),
  ...of("bedrock_converse", bedrock),
];

export const billedOf = ({ billed }: RecordedAnswer): Usage => ({ ...noUsage, ...billed });
