/** An upstream with minimal cost: always the same chat completion, whole or as a stream of 50 events. */
import { createServer } from "node:http";

const events = 50;
const usage = { prompt_tokens: 25, completion_tokens: events, total_tokens: 25 + events };
const answer = Buffer.from(
  JSON.stringify({
    id: "chatcmpl-canned",
    object: "chat.completion",
    created: 1_795_000_000,
    model: "gpt-4o-mini",
    choices: [{ index: 0, message: { role: "assistant", content: "word ".repeat(events) }, finish_reason: "stop" }],
    usage,
  }),
);
const chunk = (delta: unknown, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({
    id: "chatcmpl-canned",
    object: "chat.completion.chunk",
    created: 1_795_000_000,
    model: "gpt-4o-mini",
    system_fingerprint: "fp_canned",
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    usage: null,
  })}\n\n`;
const stream = [
  chunk({ role: "assistant", content: "" }),
  ...Array.from({ length: events }, () => chunk({ content: "word " })),
  chunk({}, "stop"),
  `data: ${JSON.stringify({ id: "chatcmpl-canned", object: "chat.completion.chunk", choices: [], usage })}\n\n`,
  "data: [DONE]\n\n",
];

const server = createServer({ noDelay: true, keepAliveTimeout: 120_000 }, (request, response) => {
  let text = "";
  request.setEncoding("latin1");
  request.on("data", (part: string) => {
    text += part;
  });
  request.on("end", () => {
    if (!text.includes('"stream":true')) {
      response.writeHead(200, { "content-type": "application/json", "content-length": answer.length });
      response.end(answer);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    // One event per turn of the event loop, so that each is sent separately, as by a provider.
    let sent = 0;
    const next = (): void => {
      const event = stream[sent];
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
