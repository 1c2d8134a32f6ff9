/** Programs that drive the official libraries of other languages: what a machine needs for them, and their answers. */
import { execFile, spawn } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ConversationEndpoint, ScenarioUsage } from "../conformance/conversation-scenario.ts";
import type { Availability } from "../harness/availability.ts";
import { findProgram } from "../harness/find-program.ts";
import { repositoryDir } from "../harness/repository-dir.ts";

const run = promisify(execFile);

/** One library, as its program names it, and the interface that it speaks. */
export interface ForeignClient {
  name: string;
  entry: ConversationEndpoint;
  /** Whether its reply tells what a model thought. */
  tellsThoughts: boolean;
}

export interface ForeignJob {
  client: string;
  url: string;
  key: string;
  model: string;
  stream: boolean;
}

/** What a program reads of an answer. */
export interface LibraryDriveReply {
  text: string;
  thought: string;
  calls: { name: string; input: unknown }[];
  finish: string;
  /** Null where the library ends before it reads them. */
  tokens: ScenarioUsage | null;
  /** Everything that the library parsed. */
  dump: unknown;
  /** The library failed: its error's name or text, and the HTTP status. */
  error?: string;
  status?: number | null;
}

export interface ForeignLanguage {
  name: string;
  /** The first is driven in every run, all of them by `npm run trust -- clients`. */
  clients: readonly [ForeignClient, ...ForeignClient[]];
  availability(): Availability;
  /** Installs the pinned packages once, and returns the command of the driving program. */
  install(): Promise<readonly [command: string, ...args: string[]]>;
}

const sources = join(import.meta.dirname);
const cache = join(repositoryDir, ".cache", "clients");

/** A folder for the packages of these files; what they pin decides its name, so that it is made once. */
function folderFor(language: string, ...files: readonly string[]): string {
  const pinned = files.map((file) => readFileSync(join(sources, language, file), "utf8")).join("\n");
  return join(cache, `${language}-${hash("sha256", pinned).slice(0, 16)}`);
}

/** Makes a folder as a whole or not at all. */
async function madeOnce(folder: string, make: (folder: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  await make(unfinished);
  await rename(unfinished, folder);
  return folder;
}

const needs = (program: string, what: string): Availability =>
  findProgram([program]) ? { available: true } : { available: false, reason: `${what} is not installed` };

export const python: ForeignLanguage = {
  name: "Python",
  clients: [
    { name: "openai chat", entry: "Chat Completions", tellsThoughts: true },
    { name: "openai responses", entry: "Responses", tellsThoughts: true },
    { name: "anthropic", entry: "Messages", tellsThoughts: true },
    { name: "google-genai", entry: "Gemini", tellsThoughts: true },
  ],
  availability: () => needs("python3", "Python 3"),
  async install() {
    const requirements = join(sources, "python", "requirements.txt");
    const packages = await madeOnce(folderFor("python", "requirements.txt"), async (folder) => {
      await run("python3", ["-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, "-r", requirements]);
    });
    return ["env", `PYTHONPATH=${packages}`, "python3", join(sources, "python", "drive.py")];
  },
};

export const go: ForeignLanguage = {
  name: "Go",
  clients: [
    { name: "openai-go", entry: "Chat Completions", tellsThoughts: false },
    { name: "anthropic-sdk-go", entry: "Messages", tellsThoughts: true },
  ],
  availability: () => needs("go", "Go"),
  async install() {
    const folder = await madeOnce(folderFor("go", "go.mod", "go.sum", "main.go"), async (unfinished) => {
      const source = join(unfinished, "source");
      await cp(join(sources, "go"), source, { recursive: true });
      await run("go", ["build", "-o", join(unfinished, "drive"), "."], { cwd: source });
    });
    return [join(folder, "drive")];
  },
};

/** The answers of the jobs, in their order. */
export async function drive(
  [command, ...args]: readonly [string, ...string[]],
  jobs: readonly ForeignJob[],
): Promise<LibraryDriveReply[]> {
  const program = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const pieces: Buffer[] = [];
  program.stdout.on("data", (piece: Buffer) => pieces.push(piece));
  const ended = new Promise<void>((resolve, reject) => {
    program.once("error", reject);
    program.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}`))));
  });
  program.stdin.end(JSON.stringify(jobs));
  await ended;
  const lines = Buffer.concat(pieces).toString("utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as LibraryDriveReply);
}
