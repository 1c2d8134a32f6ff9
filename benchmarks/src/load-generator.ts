/** Sends chat calls with the given concurrency and reads every response to its last byte. */
import { type Dispatcher, Pool } from "undici";

/**
 * `instructions` are the same request in the format of each endpoint, and the end of its stream.
 */
const instructions = "You are a helpful assistant that answers briefly.";
const question = "Tell me something about toll gates, their history, and the people who ran them.";
const userMessage = { role: "user", content: question };
/**
 * Words of an answer unless the load says otherwise, and what a request allows for each: the
 * upstream reads its length from there.
 */
export const usualWords = 50;
export const tokensPerWord = 4;
const endpoints = {
  chat: {
    path: "/v1/chat/completions",
    limit: "max_tokens",
    body: { messages: [{ role: "system", content: instructions }, userMessage] },
    streaming: { stream: true, stream_options: { include_usage: true } },
    end: "data: [DONE]\n\n",
  },
  messages: {
    path: "/v1/messages",
    limit: "max_tokens",
    body: { system: instructions, messages: [userMessage] },
    streaming: { stream: true },
    end: 'data: {"type":"message_stop"}\n\n',
  },
  responses: {
    path: "/v1/responses",
    limit: "max_output_tokens",
    body: { instructions, input: [userMessage] },
    streaming: { stream: true },
    end: "data: [DONE]\n\n",
  },
} as const;
export type LoadEndpoint = keyof typeof endpoints;

export interface LoadOptions {
  url: string;
  key: string;
  calls: number;
  concurrency: number;
  isStream: boolean;
  /** Chat completions by default. */
  endpoint?: LoadEndpoint | undefined;
  /** The length of each answer. */
  words?: number | undefined;
  /** Further headers of each call. */
  headers?: Record<string, string> | undefined;
}

/** The options of one call. */
export function requestOf(
  endpoint: LoadEndpoint,
  key: string,
  isStream: boolean,
  { words = usualWords, headers = {} }: Pick<LoadOptions, "words" | "headers"> = {},
): Dispatcher.DispatchOptions & { method: "POST"; body: string } {
  const { path, limit, body, streaming } = endpoints[endpoint];
  return {
    path,
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify({
      model: "gpt-4o-mini",
      [limit]: words * tokensPerWord,
      ...body,
      ...(isStream && streaming),
    }),
  };
}

interface OpenedLoad {
  /** The number of complete responses with status 200. */
  send(calls: number): Promise<number>;
  close(): Promise<void>;
}

/** `openLoad` keeps its connections open from one sending to the next. */
export function openLoad({
  url,
  key,
  concurrency,
  isStream,
  endpoint = "chat",
  words,
  headers,
}: Omit<LoadOptions, "calls">): OpenedLoad {
  const pool = new Pool(url, { connections: concurrency, pipelining: 1 });
  const { end } = endpoints[endpoint];
  const dispatchOptions = requestOf(endpoint, key, isStream, { words, headers });

  async function send(calls: number): Promise<number> {
    let sent = 0;
    let answered = 0;
    const work = async (): Promise<void> => {
      while (sent < calls) {
        sent += 1;
        const { statusCode, body: answer } = await pool.request(dispatchOptions);
        const text = await answer.text();
        if (statusCode === 200 && text.endsWith(isStream ? end : "}")) answered += 1;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    return answered;
  }
  return { send, close: () => pool.close() };
}

/** The number of complete responses with status 200, and the duration in seconds. */
export async function runLoad({
  calls,
  ...options
}: LoadOptions): Promise<{ answered: number; seconds: number }> {
  const started = performance.now();
  const load = openLoad(options);
  const answered = await load.send(calls);
  await load.close();
  return { answered, seconds: (performance.now() - started) / 1000 };
}
