/** Which wire format and operation an address of the simulator belongs to. */
import { isMessageBatchPath } from "./anthropic-batches-wire.ts";
import { anthropicWire } from "./anthropic-wire.ts";
import { isCostReport } from "./cost-report-wire.ts";
import { isCachePath } from "./gemini-caches-wire.ts";
import { isGeminiFilePath } from "./gemini-files-wire.ts";
import { geminiWire } from "./gemini-wire.ts";
import { isBatchPath } from "./openai-batches-wire.ts";
import { openAiCompletionsWire } from "./openai-completions-wire.ts";
import { isFilePath } from "./openai-files-wire.ts";
import { type MediaOperation, mediaOperationOf } from "./openai-media-wire.ts";
import { isObjectPath } from "./openai-objects-wire.ts";
import { openAiResponsesWire } from "./openai-responses-wire.ts";
import { isVideoPath } from "./openai-videos-wire.ts";
import { openAiWire } from "./openai-wire.ts";
import type { WireFormat, WireOperation } from "./wire-format.ts";

const wires: readonly WireFormat[] = [
  openAiWire,
  openAiCompletionsWire,
  openAiResponsesWire,
  anthropicWire,
  geminiWire,
];

export type Operation =
  | WireOperation
  | MediaOperation
  | "costs"
  | "files"
  | "batches"
  | "message batches"
  | "objects"
  | "videos"
  | "caches"
  | "gemini files";

/** Unknown paths are answered in OpenAI's format. */
export function routeOf(
  method: string,
  path: string,
): { wire: WireFormat; operation: Operation | undefined } {
  if (isCostReport(method, path)) {
    return {
      wire: path.startsWith("/v1/organizations/") ? anthropicWire : openAiWire,
      operation: "costs",
    };
  }
  if (isCachePath(path)) return { wire: geminiWire, operation: "caches" };
  if (isGeminiFilePath(path)) return { wire: geminiWire, operation: "gemini files" };
  if (isObjectPath(path)) return { wire: openAiWire, operation: "objects" };
  if (isVideoPath(path)) return { wire: openAiWire, operation: "videos" };
  if (isMessageBatchPath(path)) return { wire: anthropicWire, operation: "message batches" };
  if (isBatchPath(path)) return { wire: openAiWire, operation: "batches" };
  if (isFilePath(path)) return { wire: openAiWire, operation: "files" };
  const media = mediaOperationOf(method, path);
  if (media) return { wire: openAiWire, operation: media };
  for (const wire of wires) {
    const operation = wire.operationOf(method, path);
    if (operation) return { wire, operation };
  }
  return { wire: openAiWire, operation: undefined };
}
