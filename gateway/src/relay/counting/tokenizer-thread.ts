/**
 * The worker thread that counts tokens without blocking streams; token-counting.ts starts and ends
 * it.
 */
import { parentPort } from "node:worker_threads";
import { parseObject } from "../wire/json-parts.ts";
import { promptText } from "./prompt-text.ts";
import { isPartial } from "./text-sample.ts";
import type { TokenCountRequest, TokenCountResult } from "./token-counting.ts";
import { buildEncoding, countTokens } from "./tokenizer.ts";

async function counted({ model, body, output }: TokenCountRequest): Promise<TokenCountResult> {
  const encoding = buildEncoding(model);
  const { sample, fixedTokens } = promptText(
    body ? parseObject(Buffer.from(body).toString("utf8")) : {},
  );
  const words = sample.read();
  const prompt = fixedTokens + (await countTokens(words, encoding));
  return {
    encoding,
    prompt: prompt === 0 ? undefined : prompt,
    output: output && (await countTokens(output, encoding)),
    isSampled: isPartial(words) || (output !== undefined && isPartial(output)),
  };
}

// What cannot be counted ends the thread, and token-counting.ts starts another.
parentPort?.on(
  "message",
  ({ id, question: request }: { id: number; question: TokenCountRequest }) => {
    void counted(request).then((answer) => parentPort?.postMessage({ id, answer }));
  },
);
