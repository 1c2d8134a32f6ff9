/**
 * A source that another process reads: it can be stopped at any moment, and takes nothing but
 * itself down.
 */
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { forkProgram } from "../../process/fork-program.ts";
import type { ImportSource } from "./import-items.ts";
import type {
  NextPage,
  OpenedSource,
  SourcePart,
  SourceQuestion,
  SourceReply,
  SourceRequest,
  SourceToOpen,
} from "./source-protocol.ts";
import { ImportRefused } from "./sources/source-tables.ts";

const program = fileURLToPath(new URL("./source-process.ts", import.meta.url));
/**
 * `heapMegabytesMax` is that of the heap of the process: tables of LiteLLM that are held while keys
 * are read.
 */
const heapMegabytesMax = 512;
/** A table of some gigabytes without an index on its key is sorted first. */
const answerWithinMs = 10 * 60_000;

export interface RemoteSource {
  source: ImportSource;
  close(): void;
}

/**
 * Rejects, as does everything that is read later, with `ImportRefused` once `signal` is aborted.
 */
export async function openRemoteSource(
  given: SourceToOpen,
  { signal, isOnNetwork }: { signal: AbortSignal; isOnNetwork: boolean },
): Promise<RemoteSource> {
  const reader = startReader(isOnNetwork, signal);
  try {
    const { system, label, hasCharges, hasLogs } = await reader.ask<OpenedSource>({
      kind: "open",
      source: given,
    });
    const read = reader.pages;
    const source: ImportSource = {
      system,
      label,
      siteLosses: () => reader.ask({ kind: "facts", name: "siteLosses" }),
      reach: () => reader.ask({ kind: "facts", name: "reach" }),
      groupRatios: () => reader.ask({ kind: "facts", name: "groupRatios" }),
      options: () => read("options"),
      users: () => read("users"),
      teams: () => read("teams"),
      channels: () => read("channels"),
      virtualModels: () => read("virtualModels"),
      tokens: () => read("tokens"),
      codes: () => read("codes"),
      lastCalls: () => read("lastCalls"),
      lastCharges: hasCharges ? () => read("lastCharges") : undefined,
      logs: hasLogs ? (afterId) => read("logs", afterId) : undefined,
    };
    return { source, close: reader.close };
  } catch (error) {
    reader.close();
    throw error;
  }
}

interface AwaitedAnswer {
  settle(reply: SourceReply): void;
  fail(error: Error): void;
}

function startReader(isOnNetwork: boolean, signal: AbortSignal) {
  const child = startProcess(isOnNetwork);
  const waiting = new Map<number, AwaitedAnswer>();
  let asked = 0;
  let streams = 0;
  let end: Error | undefined;

  function finish(reason: Error): void {
    end ??= reason;
    // SIGKILL, because a statement that sorts hears of nothing else.
    child.kill("SIGKILL");
    for (const { fail } of waiting.values()) fail(end);
    waiting.clear();
  }
  child.on("message", (message) => {
    const reply = message as SourceReply;
    waiting.get(reply.id)?.settle(reply);
    waiting.delete(reply.id);
  });
  child.on("error", finish);
  child.on("exit", () =>
    finish(new ImportRefused("the process that reads the source ended: its rows may be too large")),
  );
  const stop = (): void => finish(new ImportRefused("stopped"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });

  async function ask<Value>(question: SourceQuestion): Promise<Value> {
    if (end) throw end;
    const id = ++asked;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(
      () =>
        finish(
          new ImportRefused(`the source gave no answer within ${answerWithinMs / 60_000} minutes`),
        ),
      answerWithinMs,
    );
    waiting.set(id, {
      settle: (reply) => {
        if ("value" in reply) resolve(reply.value);
        else
          reject("refused" in reply ? new ImportRefused(reply.refused) : new Error(reply.failed));
      },
      fail: reject,
    });
    child.send({ id, question } satisfies SourceRequest);
    try {
      // The process is this program's own, and answers by its protocol.
      return (await promise) as Value;
    } finally {
      clearTimeout(timer);
    }
  }

  async function* pages<Page>(part: SourcePart, afterId?: number): AsyncGenerator<Page> {
    const stream = ++streams;
    await ask({ kind: "start", stream, part, afterId });
    try {
      for (;;) {
        const { page, isEnd } = await ask<NextPage>({ kind: "next", stream });
        if (isEnd) return;
        yield page as Page;
      }
    } finally {
      if (!end) await ask({ kind: "end", stream });
    }
  }

  return {
    ask,
    pages,
    close(): void {
      signal.removeEventListener("abort", stop);
      finish(new ImportRefused("the source is closed"));
    },
  };
}

/** The variables of the gateway are not the process's: they hold the master key. */
const startProcess = (isOnNetwork: boolean): ChildProcess =>
  forkProgram(program, [], {
    serialization: "advanced",
    env: {},
    execArgv: [
      `--max-old-space-size=${heapMegabytesMax}`,
      "--no-warnings",
      "--permission",
      "--allow-fs-read=*",
      ...(isOnNetwork ? ["--allow-net"] : []),
    ],
  });
