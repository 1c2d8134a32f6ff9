// Exchanges with providers, as files: each names the reference that it was written from.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One answer of a provider, as bytes. */
export interface FixtureReply {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

interface FixtureFile {
  source: string;
  status?: number;
  headers?: Record<string, string>;
  /** JSON, */
  body?: unknown;
  /** or bytes of another kind. */
  base64?: string;
}

const dir = join(import.meta.dirname, "fixtures");
const read = (wire: string, file: string): string => readFileSync(join(dir, wire, file), "utf8");

const streamFile = /\.sse$|\.frames\.json$/;

/** A stream's file begins with a comment that names its source; providers send none. */
const sourceComment = /^: (.*?)\r?\n\r?\n/;

const readFixtureFile = (wire: string, name: string): FixtureFile =>
  JSON.parse(read(wire, `${name}.json`)) as FixtureFile;

export function completeReply(wire: string, name: string): FixtureReply {
  const { status = 200, headers = {}, body, base64 } = readFixtureFile(wire, name);
  const bytes =
    base64 === undefined ? Buffer.from(JSON.stringify(body)) : Buffer.from(base64, "base64");
  return { status, headers: { "content-type": "application/json", ...headers }, bytes };
}

export function streamedReply(wire: string, name: string): FixtureReply {
  const bytes = Buffer.from(read(wire, `${name}.sse`).replace(sourceComment, ""));
  return { status: 200, headers: { "content-type": "text/event-stream" }, bytes };
}

/** A stream of messages that are no server-sent events: their types and what is in them. */
export const frames = (
  wire: string,
  name: string,
): [type: string, data: Record<string, unknown>][] =>
  (JSON.parse(read(wire, `${name}.frames.json`)) as { events: [string, Record<string, unknown>][] })
    .events;

/** Names of the streams that a wire has. */
export const streamNames = (wire: string): string[] =>
  readdirSync(join(dir, wire))
    .filter((file) => streamFile.test(file))
    .map((file) => file.replace(streamFile, ""));

/** Where the files of a wire come from, each source once. */
export function sourcesOf(wire: string): string[] {
  const sources = readdirSync(join(dir, wire)).map((file) =>
    file.endsWith(".sse")
      ? (sourceComment.exec(read(wire, file))?.[1] ?? "")
      : readFixtureFile(wire, file.slice(0, -".json".length)).source,
  );
  return [...new Set(sources)].sort();
}
