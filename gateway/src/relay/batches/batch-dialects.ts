/** The dialect of a batch that is stored. */
import { anthropicBatches } from "./anthropic-batches.ts";
import type { BatchDialect } from "./batch-dialect.ts";
import { openAiBatches } from "./openai-batches.ts";

export const buildDialect = ({ dialect }: { dialect: string }): BatchDialect =>
  dialect === anthropicBatches.name ? anthropicBatches : openAiBatches;
