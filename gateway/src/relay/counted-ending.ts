/** An ending whose estimated usage is replaced by counted tokens, where they can be counted. */
import type { CountAnswer, Counting } from "./counting.ts";
import type { Ending } from "./respond.ts";
import type { Call } from "./shapes/shape.ts";

/** `call` is the caller's own, before any translation: its body is the prompt. `model` is the upstream's name for it. */
export async function countedEnding(ending: Ending, call: Call, model: string, counting: Counting): Promise<Ending> {
  const { uncounted, usage, note } = ending;
  if (!uncounted) return ending;
  const prompt = usage.input > 0 && !call.form ? call.body : undefined;
  const counted = await counting.count(model, prompt, uncounted);
  if (!counted) return ending;
  return {
    ...ending,
    usage: {
      ...usage,
      input: counted.prompt ?? usage.input,
      output: uncounted.length > 0 ? (counted.output ?? usage.output) : usage.output,
    },
    note: [note, wayOf(counted)].filter((part) => part !== "").join("; "),
  };
}

function wayOf({ prompt, encoding, isSampled }: CountAnswer): string {
  const what = prompt === undefined ? "the answer counted" : "counted";
  return `${what} with ${encoding}${isSampled ? ", by a sample" : ""}`;
}
