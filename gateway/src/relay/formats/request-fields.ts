/** Members that several shapes have in common. */
import * as z from "zod/mini";

const modelNameMax = 200;
const tokensMax = 10_000_000;

export const modelName = z.string().check(z.minLength(1), z.maxLength(modelNameMax));
export const tokenLimit = z.optional(z.nullable(z.int().check(z.minimum(0), z.maximum(tokensMax))));

const messagesMax = 100_000;

interface ChatMessageField {
  role: string;
  content?: unknown;
  tool_calls?: unknown;
}

/** Looked at where it is: a schema would copy every message of a long conversation. */
const message = z.custom<ChatMessageField>(
  (value) => typeof value === "object" && value !== null && typeof (value as { role?: unknown }).role === "string",
  "must be an object with a role",
);
export const messageList = z.array(message).check(z.minLength(1), z.maxLength(messagesMax));
