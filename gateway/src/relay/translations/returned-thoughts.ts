/**
 * Thoughts that a provider of chat completions wants back with the calls that followed them. The
 * gateway tells them to clients of every dialect; what only the provider can read travels in a
 * signature. Which provider wants which is decided by the name of the model. Pure.
 */
import { type JsonRecord, records, text } from "../wire/json-parts.ts";

/** `ReturnedThoughts` are the members of thoughts that go back to one model. */
export interface ReturnedThoughts {
  /**
   * The words, as `reasoning_content`. Without them most of these refuse a turn with calls
   * (https://api-docs.deepseek.com/guides/thinking_mode), and GLM thinks worse
   * (https://docs.z.ai/guides/capabilities/thinking-mode).
   */
  words: boolean;
  /**
   * OpenRouter's `reasoning_details`, which its models of Google require. Its names of models have
   * a vendor in front.
   */
  details: boolean;
}

const wantsWords = /deepseek|kimi|moonshot|minimax|mimo|glm-(?:4\.[5-9]|[5-9])/i;

/** `isOnward`: another translation follows, whose API has a place of its own for thoughts. */
export const buildReturnedThoughts = (isOnward: boolean, model: string): ReturnedThoughts => ({
  words: !isOnward && wantsWords.test(model),
  details: !isOnward && model.includes("/"),
});

const detailsPrefix = "openrouter:";

/**
 * `isOpenRouters` says whether a block holds what OpenRouter alone reads: no other provider accepts
 * its signature.
 */
export const isOpenRouters = ({ signature }: JsonRecord): boolean =>
  text(signature).startsWith(detailsPrefix);

/** Details that the client could not write again: they are signed or encrypted. */
const isSealed = ({ data, signature }: JsonRecord): boolean =>
  text(data) !== "" || text(signature) !== "";

/**
 * The blocks of reasoning in a message or a delta of chat completions, those of OpenRouter packed
 * as one.
 */
export function listThinkingBlocks({
  thinking_blocks,
  reasoning_details,
}: JsonRecord): JsonRecord[] {
  const blocks = records(thinking_blocks);
  const sealed = records(reasoning_details).filter(isSealed);
  if (sealed.length === 0) return blocks;
  const packed = Buffer.from(JSON.stringify(sealed)).toString("base64");
  return [...blocks, { type: "thinking", thinking: "", signature: detailsPrefix + packed }];
}

function listDetails({ signature }: JsonRecord): JsonRecord[] {
  try {
    const packed = Buffer.from(text(signature).slice(detailsPrefix.length), "base64").toString(
      "utf8",
    );
    return records(JSON.parse(packed));
  } catch {
    return [];
  }
}

/**
 * The members of a message of the assistant that bring its thoughts back; none for a turn without
 * calls.
 */
export function buildThoughtMembers(
  { words, details }: ReturnedThoughts,
  thought: string,
  blocks: readonly JsonRecord[],
  hasCalls: boolean,
): JsonRecord {
  if (!hasCalls) return {};
  const sealed = details ? blocks.filter(isOpenRouters).flatMap(listDetails) : [];
  return {
    ...(words && thought !== "" && { reasoning_content: thought }),
    ...(sealed.length > 0 && { reasoning_details: sealed }),
  };
}
