// Answers in which one value is of a type that no reader expects: each is read without a fault, so
// that no call ends as one of ours.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { conversationEndpoints } from "@tollgate/tests/conformance/conversation-scenario.ts";
import { callOf, planOver } from "@tollgate/tests/conformance/in-process-relay.ts";
import { describe, expect, test } from "vitest";
import type { ApiEndpoint } from "../formats/api-format.ts";
import { isRecord } from "../wire/json-parts.ts";

const fixtures = join(import.meta.dirname, "../../../../tests/src/conformance/fixtures");
const spokenBy: Readonly<Record<string, ApiEndpoint>> = {
  "anthropic-messages": "claude_messages",
  "baidu-chat": "baidu_chat",
  gemini: "gemini",
  "openai-chat": "chat_completions",
  "openai-responses": "response_api",
  "tencent-chat": "tencent_chat",
};
/** `String`, `Number` and templates call these members, and throw because they are no functions. */
const odd = { toString: 1, valueOf: 1 };

/** A copy of the value for each place in it, with the odd value there. */
function* spoiled(value: unknown): Generator<unknown> {
  yield odd;
  if (Array.isArray(value)) {
    for (const [index, part] of value.entries())
      for (const one of spoiled(part)) yield value.with(index, one);
  } else if (isRecord(value)) {
    for (const [name, part] of Object.entries(value))
      for (const one of spoiled(part)) yield { ...value, [name]: one };
  }
}

const filesOf = (family: string, ending: string): string[] =>
  readdirSync(join(fixtures, family)).filter(
    (name) => /^(?:tools|thinking|words|cached)/.test(name) && name.endsWith(ending),
  );
const read = (family: string, name: string): string =>
  readFileSync(join(fixtures, family, name), "utf8");

describe.each(Object.entries(spokenBy))("answers of %s", (family, spoken) => {
  test.each(conversationEndpoints)(
    "are read for clients of %s, whatever one value is",
    (endpoint) => {
      const call = callOf(endpoint);
      let seen = 0;
      for (const name of filesOf(family, ".json")) {
        for (const reply of spoiled(JSON.parse(read(family, name)))) {
          if (!isRecord(reply)) continue;
          const { translator, call: sent } = planOver(call, spoken);
          seen += 1;
          // Only what the format takes for an answer is translated.
          if (sent.upstream.readReply(reply) && translator)
            expect(translator.translateReply(reply)).toBeTypeOf("object");
        }
      }
      for (const name of filesOf(family, ".sse")) {
        const events = read(family, name).split(/(?<=\n\n)/);
        for (const [index, event] of events.entries()) {
          const [, before, data, after] =
            /^([\s\S]*?data: ?)(\{.*\})(\r?\n[\s\S]*)$/.exec(event) ?? [];
          if (data === undefined) continue;
          for (const value of spoiled(JSON.parse(data))) {
            const { translator, call: sent } = planOver(call, spoken);
            const readEvent = sent.upstream.createEventReader(sent);
            seen += 1;
            for (const one of events.with(index, `${before}${JSON.stringify(value)}${after}`)) {
              readEvent(one);
              if (translator) expect(translator.translateEvent(one)).toBeTypeOf("string");
            }
            if (translator) expect(translator.finish()).toBeTypeOf("string");
          }
        }
      }
      expect(seen).toBeGreaterThan(20);
    },
  );
});
