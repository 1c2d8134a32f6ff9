// Modelled on Tencent's reference of ChatCompletions and GetEmbedding, version 2023-09-01
// (cloud.tencent.com/document/api/1729/105701) and the types of its own SDK
// (`hunyuan_models.d.ts`), not captured.
import type { JsonRecord } from "@tollgate/gateway/relay/wire/json-parts.ts";

const Note = "以上内容为AI生成，不代表开发者立场，请勿删除或修改本标记";
const Id = "15b2a5a5-7a4a-4d5e-9a3b-0f4c1c2f7c11";
const RequestId = "6cfeb2a7-9f9c-4b8e-8d2e-3f0f5a3b7e21";

export const tencentAnswer: JsonRecord = {
  Response: {
    RequestId,
    Note,
    Choices: [
      {
        Index: 0,
        Message: { Role: "assistant", Content: "你好，我是混元。" },
        FinishReason: "stop",
      },
    ],
    Created: 1718955357,
    Id,
    Usage: { PromptTokens: 4, CompletionTokens: 8, TotalTokens: 12 },
  },
};

export const tencentToolCall: JsonRecord = {
  Response: {
    ...(tencentAnswer.Response as JsonRecord),
    Choices: [
      {
        Index: 0,
        Message: {
          Role: "assistant",
          Content: "",
          ToolCalls: [
            {
              Id: "call_cq1",
              Type: "function",
              Index: 0,
              Function: { Name: "weather", Arguments: '{"city":"Shenzhen"}' },
            },
          ],
        },
        FinishReason: "tool_calls",
      },
    ],
  },
};

const piece = (Delta: JsonRecord, FinishReason: string, CompletionTokens: number): string => {
  const Usage = { PromptTokens: 4, CompletionTokens, TotalTokens: 4 + CompletionTokens };
  const Choices = [{ Index: 0, Delta: { Role: "assistant", ...Delta }, FinishReason }];
  return `data: ${JSON.stringify({ Note, Choices, Created: 1718955357, Id, Usage })}\n\n`;
};

export const tencentStream =
  piece({ Content: "" }, "", 1) +
  piece({ Content: "你好" }, "", 2) +
  piece({ Content: "，世界" }, "", 4) +
  piece({ Content: "" }, "stop", 4);

const toolPiece = (Arguments: string): JsonRecord => ({
  Content: "",
  ToolCalls: [
    { Id: "call_cq1", Type: "function", Index: 0, Function: { Name: "weather", Arguments } },
  ],
});
export const tencentToolStream =
  piece(toolPiece('{"city":'), "", 3) +
  piece(toolPiece('"Shenzhen"}'), "", 6) +
  piece({ Content: "" }, "tool_calls", 6);

export const tencentFailed = (Code: string, Message: string): JsonRecord => ({
  Response: { Error: { Code, Message }, RequestId },
});

export const tencentBrokenStream = `${piece({ Content: "你好" }, "", 2)}data: ${JSON.stringify({ Note, ErrorMsg: { Msg: "model timeout", Code: 4001 }, Id })}\n\n`;

export const tencentVectors: JsonRecord = {
  Response: {
    RequestId,
    Data: [
      { Embedding: [0.25, -0.5], Index: 0, Object: "embedding" },
      { Embedding: [1, 0], Index: 1, Object: "embedding" },
    ],
    Usage: { PromptTokens: 6, TotalTokens: 6 },
  },
};
