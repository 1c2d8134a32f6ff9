import { useQuery } from "@tanstack/react-query";
import { type Log, listOwnLogs } from "@tollgate/contract/figures/logs.ts";
import { useRef, useState } from "react";
import { api } from "../../api-queries.ts";
import { noAnswer } from "./chat-answer.ts";
import {
  buildChatBody,
  type PlaygroundMessage,
  type PlaygroundSettings,
} from "./playground-request.ts";
import { type ChatRun, runChat } from "./run-chat.ts";

/** The conversation with one model. */
export function useThread() {
  const [messages, setMessages] = useState<readonly PlaygroundMessage[]>([]);
  const [run, setRun] = useState<ChatRun>();
  const [isRunning, setRunning] = useState(false);
  const abort = useRef<AbortController>(undefined);

  const ask = async (model: string, message: PlaygroundMessage, settings: PlaygroundSettings) => {
    const asked = [...messages, message];
    const controller = new AbortController();
    abort.current = controller;
    setMessages(asked);
    setRun(undefined);
    setRunning(true);
    // What arrived before a stop stays.
    let latest: ChatRun = { ...noAnswer, requestId: "", firstMs: undefined, totalMs: 0 };
    const show = (next: ChatRun) => {
      latest = next;
      setRun(next);
    };
    try {
      show(await runChat(buildChatBody(model, asked, settings), controller.signal, show));
    } catch (error) {
      if (!controller.signal.aborted)
        show({ ...latest, failure: error instanceof Error ? error.message : String(error) });
    } finally {
      setRunning(false);
      if (latest.text !== "" || latest.toolCalls.length > 0) {
        setMessages([
          ...asked,
          { role: "assistant", text: latest.text, toolCalls: latest.toolCalls },
        ]);
      }
    }
  };
  const clear = () => {
    setMessages([]);
    setRun(undefined);
  };
  return { messages, run, isRunning, ask, stop: () => abort.current?.abort(), clear };
}

export type Thread = ReturnType<typeof useThread>;

const lookEveryMs = 1_000;
/** A call is in the log a moment after it ended; later it is not expected any more. */
const looksMax = 15;
/** A long answer began earlier; its entry has the time of its beginning. */
const lookBackSeconds = 900;

/** The log entry of a call: what it cost and where its trace is. */
export function useCallOf(requestId: string) {
  // A time of its own for each answer, so that it is not the cached list of an earlier one.
  const [sinceSeconds] = useState(() => Math.floor(Date.now() / 1000) - lookBackSeconds);
  const isOfCall = (log: Log) => log.request_id === requestId;
  const isThere = (logs: readonly Log[] | undefined) => logs?.some(isOfCall) === true;
  const found = useQuery({
    ...api.query(listOwnLogs, { query: { p: 0, size: 10, start_timestamp: sinceSeconds } }),
    enabled: requestId !== "",
    refetchInterval: ({ state }) =>
      isThere(state.data?.data) || state.dataUpdateCount >= looksMax ? false : lookEveryMs,
  });
  return found.data?.data.find(isOfCall);
}
