/**
 * The program that reads another system's data for a running gateway: a process of its own, so that
 * a hostile file or server can take neither the memory nor the time of calls. It may read files,
 * write none and start nothing, and has a network for addresses alone.
 */
import { readFileSync, statSync } from "node:fs";
import { serialize } from "node:v8";
import type { ImportSource } from "./import-items.ts";
import { parseBoundedYaml, yamlBytesMax } from "./litellm/bounded-yaml.ts";
import { listIncludedFiles, readLitellmConfig } from "./litellm/litellm-config-file.ts";
import { openSystem } from "./open-system.ts";
import type {
  NextPage,
  OpenedSource,
  SourcePart,
  SourceQuestion,
  SourceReply,
  SourceRequest,
  SourceToOpen,
} from "./source-protocol.ts";
import { noTables } from "./sources/no-tables.ts";
import { openSource } from "./sources/open-source.ts";
import { addSeparateLog } from "./sources/separate-log.ts";
import { ImportRefused, type SourceTables } from "./sources/source-tables.ts";

/**
 * `pageBytesMax` is what the gateway holds of a source at once: a page of a thousand rows that are
 * all long.
 */
const pageBytesMax = 64 * 1_024 * 1_024;

let source: ImportSource | undefined;
const streams = new Map<number, AsyncIterator<unknown>>();

process.on("message", (request) => void answer(request as SourceRequest));
process.on("disconnect", () => process.exit());

async function answer({ id, question }: SourceRequest): Promise<void> {
  process.send?.(await answerQuestion(id, question));
}

async function answerQuestion(id: number, question: SourceQuestion): Promise<SourceReply> {
  try {
    return { id, value: await readValue(question) };
  } catch (error) {
    if (error instanceof ImportRefused) return { id, refused: error.message };
    return { id, failed: (error as Error).stack ?? String(error) };
  }
}

async function readValue(question: SourceQuestion): Promise<unknown> {
  switch (question.kind) {
    case "open":
      return await open(question.source);
    case "facts":
      return await opened()[question.name]();
    case "start":
      streams.set(
        question.stream,
        streamPages(question.part, question.afterId)[Symbol.asyncIterator](),
      );
      return undefined;
    case "next":
      return await next(question.stream);
    case "end":
      await streams.get(question.stream)?.return?.();
      streams.delete(question.stream);
      return undefined;
  }
}

async function open(given: SourceToOpen): Promise<OpenedSource> {
  const hasDatabase = given.database !== "";
  if (!hasDatabase && given.log)
    throw new ImportRefused("config.yaml has no log: leave out the address of one");
  const tables = hasDatabase ? await openTables(given) : noTables("config.yaml");
  const { environment, unlimitedAs, now, configFile } = given;
  const config = configFile === undefined ? undefined : readConfiguration(configFile);
  source = await openSystem(tables, { hasDatabase, config, environment, unlimitedAs, now });
  const { system, label, lastCharges, logs } = source;
  return { system, label, hasCharges: lastCharges !== undefined, hasLogs: logs !== undefined };
}

async function openTables({ database, checkedAddress, log }: SourceToOpen): Promise<SourceTables> {
  const main = await openSource(database, checkedAddress);
  return log === undefined ? main : await addSeparateLog(main, log.address, log.checkedAddress);
}

function readConfiguration(path: string): ReturnType<typeof readLitellmConfig> {
  if (statSync(path).size > yamlBytesMax)
    throw new ImportRefused(
      `the file is neither a SQLite database nor a config.yaml of at most ${yamlBytesMax >> 20} MiB`,
    );
  const document = parseBoundedYaml(readFileSync(path, "utf8"), "config.yaml");
  // Their paths are those of another machine.
  if (listIncludedFiles(document).length > 0)
    throw new ImportRefused(
      "config.yaml includes other files: put their contents into it, or use the command import",
    );
  const config = readLitellmConfig(document);
  if (!config)
    throw new ImportRefused("the file is neither a SQLite database nor a configuration of LiteLLM");
  return config;
}

function opened(): ImportSource {
  if (!source) throw new ImportRefused("no source is open");
  return source;
}

function streamPages(part: SourcePart, afterId: number | undefined): AsyncIterable<unknown> {
  const from = opened();
  if (part === "logs") return from.logs?.(afterId) ?? noPages();
  if (part === "lastCharges") return from.lastCharges?.() ?? noPages();
  return from[part]();
}

async function* noPages(): AsyncGenerator<unknown> {
  // The source has none.
}

async function next(stream: number): Promise<NextPage> {
  const { value, done = false } = (await streams.get(stream)?.next()) ?? {
    value: undefined,
    done: true,
  };
  if (done) streams.delete(stream);
  const bytes = done ? 0 : serialize(value).byteLength;
  if (bytes > pageBytesMax)
    throw new ImportRefused(
      `the rows of the source are too long: ${bytes >> 20} MiB in one page of them`,
    );
  return { page: value, isEnd: done };
}
