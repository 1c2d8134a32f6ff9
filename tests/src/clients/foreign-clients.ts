/** Programs that drive libraries of other languages: their jobs and answers. */
import { spawn } from "node:child_process";
import type { ConversationEndpoint, ScenarioUsage } from "../conformance/conversation-scenario.ts";
import type { Availability } from "../harness/availability.ts";

/** `ForeignClient` is one library, as its program names it, and the interface that it speaks. */
export interface ForeignClient {
  name: string;
  entry: ConversationEndpoint;
  /** `tellsThoughts` says whether its reply tells what a model thought. */
  tellsThoughts: boolean;
  /** `does` are where the library does a part of the scenarios alone. */
  does?: readonly PlayedScenario[];
}

/** Names of fixtures that a library is driven with. */
export const playedScenarios = [
  "words",
  "tools",
  "structured",
  "thinking",
  "length",
  "cached",
  "error-400",
  "error-429",
  "error-500",
] as const;
export type PlayedScenario = (typeof playedScenarios)[number];

export interface ForeignJob {
  client: string;
  url: string;
  key: string;
  model: string;
  stream: boolean;
  does: ForeignTask;
  /** `signal` is where `read on` tells that it has received something. */
  signal?: string;
}

/**
 * `ask` declares two tools, `structured` wants an object of the schema of a city, `picture` shows
 * one, `turn` lets the model think and sends the results of its tools, `leave` ends a stream after
 * its first text, and `read on` does not; `retry` lets the library repeat a call, `wait briefly`
 * lets it wait for 2 s.
 */
export type ForeignTask =
  | "ask"
  | "structured"
  | "picture"
  | "turn"
  | "leave"
  | "read on"
  | "retry"
  | "wait briefly"
  | "count"
  | "embed";

/** `LibraryDriveReply` is what a program reads of an answer. */
export interface LibraryDriveReply {
  text: string;
  thought: string;
  calls: { name: string; input: unknown }[];
  finish: string;
  /** Null where the library ends before it reads them. */
  tokens: ScenarioUsage | null;
  /** Everything that the library parsed. */
  dump: unknown;
  /** The id of the call, where the library hands it to programs. */
  requestId?: string | null;
  count?: number;
  vectors?: number[][];
  /** The library failed: the name of its error, the HTTP status, and what programs branch on. */
  error?: string;
  status?: number | null;
  kind?: string[];
  retryAfter?: string | null;
  message?: string;
}

export interface ForeignLanguage {
  name: string;
  /**
   * Driven in every run by its first client; everything else by `npm run trust -- clients` alone.
   */
  isAlwaysDriven?: true;
  clients: readonly [ForeignClient, ...ForeignClient[]];
  /** The packages whose versions the page shows, each pinned in its file. */
  packages: readonly string[];
  pinnedIn: string;
  availability(): Availability;
  /** Installs the pinned packages once, and returns the command of the driving program. */
  install(): Promise<DrivingCommand>;
  /** The program that does more than ask once, of the same packages. */
  installTasks?(): Promise<DrivingCommand>;
}
export type DrivingCommand = readonly [command: string, ...args: string[]];

/** The answers of the jobs, in their order. */
export async function drive(
  [command, ...args]: DrivingCommand,
  jobs: readonly ForeignJob[],
): Promise<LibraryDriveReply[]> {
  const program = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const pieces: Buffer[] = [];
  program.stdout.on("data", (piece: Buffer) => pieces.push(piece));
  const ended = new Promise<void>((resolve, reject) => {
    program.once("error", reject);
    program.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}`)),
    );
  });
  program.stdin.end(JSON.stringify(jobs));
  await ended;
  const lines = Buffer.concat(pieces).toString("utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as LibraryDriveReply);
}
