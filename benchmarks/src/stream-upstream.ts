/**
 * An upstream that streams chat completions: an event every `--every` milliseconds, or without it
 * as fast as the client reads. It repeats the words of the request, so that every client recognises
 * its own stream.
 */
import { createServer, type ServerResponse } from "node:http";
import { parseArgs } from "node:util";

const { values: flags } = parseArgs({
  options: { events: { type: "string", default: "60" }, every: { type: "string", default: "0" } },
});
const events = Number(flags.events);
const everyMs = Number(flags.every);
/** Events per write at full speed, as they arrive from a busy provider. */
const eventsPerWrite = 50;

const chunk = (delta: unknown, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({
    id: "chatcmpl-long",
    object: "chat.completion.chunk",
    created: 1_795_000_000,
    model: "gpt-4o-mini",
    choices: [{ index: 0, delta, finish_reason }],
  })}\n\n`;
const usage = { prompt_tokens: 25, completion_tokens: events, total_tokens: 25 + events };
const ending = `${chunk({}, "stop")}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`;

function sendTimed(response: ServerResponse, word: string): void {
  let sent = 0;
  const timer = setInterval(() => {
    response.write(word);
    sent += 1;
    if (sent >= events) {
      clearInterval(timer);
      response.end(ending);
    }
  }, everyMs);
  response.on("close", () => clearInterval(timer));
}

function sendAtFullSpeed(response: ServerResponse, word: string): void {
  const block = Buffer.from(word.repeat(eventsPerWrite));
  let left = Math.ceil(events / eventsPerWrite);
  const push = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(block)) {
        response.once("drain", push);
        return;
      }
    }
    response.end(ending);
  };
  push();
}

const server = createServer({ noDelay: true }, (request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const requestBody = JSON.parse(Buffer.concat(parts).toString()) as {
      messages: [{ content: string }];
    };
    const word = chunk({ content: `${requestBody.messages[0].content} ` });
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (everyMs > 0) sendTimed(response, word);
    else sendAtFullSpeed(response, word);
  });
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === "object" && address ? address.port : 0 }));
});
