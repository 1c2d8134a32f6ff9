/** The body of an upstream's response as an iteration, at the pace of its reader. */
import type { AnswerBody } from "./answer-parts.ts";

/** Throws where the response breaks off. */
export async function* buildPieces(answer: AnswerBody): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let end: Error | "ended" | undefined;
  let wake = (): void => undefined;
  answer.read({
    data(piece) {
      waiting.push(piece);
      answer.pause();
      wake();
    },
    end() {
      end = "ended";
      wake();
    },
    error(error) {
      end = error;
      wake();
    },
  });
  for (;;) {
    const pieces = waiting;
    waiting = [];
    yield* pieces;
    if (waiting.length > 0) continue;
    if (end instanceof Error) throw end;
    if (end === "ended") return;
    const more = new Promise<void>((resolve) => {
      wake = resolve;
    });
    answer.resume();
    await more;
  }
}
