/**
 * Questions of a gateway to the process that reads a source, and its answers: plain data, copied
 * between the two.
 */
import type { ImportSource } from "./import-items.ts";

/**
 * `SourceToOpen` is what a process opens. Sent to it and in no argument: a text may hold a
 * password.
 */
export interface SourceToOpen {
  /**
   * A path or an address as the command takes it; empty where `config.yaml` is the whole source.
   */
  database: string;
  /** The IP address of the server, which the policy of outgoing connections has checked. */
  checkedAddress: string | undefined;
  /** The database of the log, where it is another one. */
  log: LogToOpen | undefined;
  /** The path of LiteLLM's `config.yaml`. */
  configFile: string | undefined;
  /** `environment` is that of LiteLLM. */
  environment: Readonly<Record<string, string>>;
  unlimitedAs: number;
  now: number;
}

/** The server of a log that is apart from the rest. */
export interface LogToOpen {
  address: string;
  checkedAddress: string;
}

/** `sourceParts` are what is read page by page. */
export const sourceParts = [
  "options",
  "users",
  "teams",
  "channels",
  "virtualModels",
  "tokens",
  "codes",
  "lastCalls",
  "lastCharges",
  "logs",
] as const satisfies (keyof ImportSource)[];
export type SourcePart = (typeof sourceParts)[number];

export type SourceQuestion =
  | { kind: "open"; source: SourceToOpen }
  | { kind: "facts"; name: "siteLosses" | "groupRatios" | "reach" }
  /** `stream` is the asker's number for it. */
  | { kind: "start"; stream: number; part: SourcePart; afterId: number | undefined }
  | { kind: "next"; stream: number }
  | { kind: "end"; stream: number };

export interface SourceRequest {
  id: number;
  question: SourceQuestion;
}

/** The answer to `open`. */
export type OpenedSource = Pick<ImportSource, "system" | "label"> & {
  hasCharges: boolean;
  hasLogs: boolean;
};

/** The answer to `next`. */
export interface NextPage {
  page: unknown;
  isEnd: boolean;
}

export type SourceReply = { id: number } & (
  | { value: unknown }
  /** Words for the operator. */
  | { refused: string }
  /** A mistake of the program. */
  | { failed: string }
);
