/** What the gateway writes to a call about its bill, in the reader's language. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

/** By the sentence of the gateway, which is what the log stores. */
const notes: Readonly<Record<string, MessageDescriptor>> = {
  "usage estimated: the provider gave none that can be used": msg`usage estimated: the provider gave none that can be used`,
  "usage estimated: the upstream did not tell that of every answer": msg`usage estimated: the provider did not tell that of every answer`,
  "usage partly estimated: the answer ended before the provider's final count": msg`usage partly estimated: the answer ended before the provider's final count`,
  "usage estimated: the provider claimed far more than was seen, and may report false usage on this channel": msg`usage estimated: the provider claimed far more than was seen, and may report false usage on this channel`,
  "usage estimated: the provider did not say how long the recording is": msg`usage estimated: the provider did not say how long the recording is`,
  "usage capped: the provider claimed more than one call can use": msg`usage capped: the provider claimed more than one call can use`,
  "the provider's usage is far from what was seen": msg`the provider's usage is far from what was seen`,
  "usage corrected: the provider counted more cached than prompt tokens": msg`usage corrected: the provider counted more cached than prompt tokens`,
  "a tool ran whose fee the provider does not report: it is not charged": msg`a tool ran whose fee the provider does not report: it is not charged`,
};
const countedPattern = /^(the answer )?counted with (\S+?)(, by a sample)?$/;

function writeCounting(
  tokenizer: string,
  { ofAnswer, bySample }: { ofAnswer: boolean; bySample: boolean },
): MessageDescriptor {
  if (ofAnswer)
    return bySample
      ? msg`the answer counted with ${tokenizer}, by a sample`
      : msg`the answer counted with ${tokenizer}`;
  return bySample ? msg`counted with ${tokenizer}, by a sample` : msg`counted with ${tokenizer}`;
}

/** Notes stand behind each other; what is not known among them stays as it is. */
export function writeNotes(
  content: string,
  translate: (message: MessageDescriptor) => string,
): string {
  return content
    .split("; ")
    .map((note) => {
      const [, answer, tokenizer, sample] = countedPattern.exec(note) ?? [];
      if (tokenizer !== undefined)
        return translate(
          writeCounting(tokenizer, {
            ofAnswer: answer !== undefined,
            bySample: sample !== undefined,
          }),
        );
      const known = Object.hasOwn(notes, note) ? notes[note] : undefined;
      return known === undefined ? note : translate(known);
    })
    .join("; ");
}
