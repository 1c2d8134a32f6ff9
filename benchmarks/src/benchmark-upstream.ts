/**
 * An upstream with minimal cost: the same chat completion for every call, whole or as a stream. Its
 * length is the limit that the request states (`wordsOf`), so that one upstream serves short and
 * long answers.
 */
import { createServer } from "node:http";
import { tokensPerWord, usualWords } from "./load-generator.ts";

interface CannedAnswers {
  whole: Buffer;
  /** `events` are one event per word, and those that begin and end the stream. */
  events: string[];
}

const answers = new Map<number, CannedAnswers>();

function answersOf(words: number): CannedAnswers {
  const known = answers.get(words);
  if (known) return known;
  const made = makeAnswers(words);
  answers.set(words, made);
  return made;
}

function makeAnswers(words: number): CannedAnswers {
  const usage = { prompt_tokens: 25, completion_tokens: words, total_tokens: 25 + words };
  const head = { id: "chatcmpl-canned", created: 1_795_000_000, model: "gpt-4o-mini" };
  const chunk = (delta: unknown, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({
      ...head,
      object: "chat.completion.chunk",
      system_fingerprint: "fp_canned",
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      usage: null,
    })}\n\n`;
  const message = { role: "assistant", content: "word ".repeat(words) };
  return {
    whole: Buffer.from(
      JSON.stringify({
        ...head,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage,
      }),
    ),
    events: [
      chunk({ role: "assistant", content: "" }),
      ...Array.from({ length: words }, () => chunk({ content: "word " })),
      chunk({}, "stop"),
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [], usage })}\n\n`,
      "data: [DONE]\n\n",
    ],
  };
}

/** The words that a request asks for by its limit on tokens. */
function wordsOf(request: string): number {
  const limit = /"max_(?:completion_)?tokens":(\d+)/.exec(request)?.[1];
  return limit === undefined ? usualWords : Number(limit) / tokensPerWord;
}

const server = createServer({ noDelay: true, keepAliveTimeout: 120_000 }, (request, response) => {
  let text = "";
  request.setEncoding("latin1");
  request.on("data", (part: string) => {
    text += part;
  });
  request.on("end", () => {
    const { whole, events } = answersOf(wordsOf(text));
    if (!text.includes('"stream":true')) {
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": whole.length,
      });
      response.end(whole);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    // One event per turn of the event loop, so that each is sent separately, as by a provider.
    let sent = 0;
    const next = (): void => {
      const event = events[sent];
      sent += 1;
      if (event === undefined) response.end();
      else {
        response.write(event);
        setImmediate(next);
      }
    };
    next();
  });
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === "object" && address ? address.port : 0 }));
});
