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
  /** Where the library does a part of the scenarios alone. */
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
  /** `ask` declares two tools; `structured` wants an object of the schema of a city. */
  does: "ask" | "structured";
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
  /** Driven in every run by its first client; everything else by `npm run trust -- clients` alone. */
  isAlwaysDriven?: true;
  clients: readonly [ForeignClient, ...ForeignClient[]];
  /** The packages whose versions the page shows, each pinned in its file. */
  packages: readonly string[];
  pinnedIn: string;
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

/** Python packages of one environment, in `python/<environment>.txt`, and the program that drives them. */
function pythonPackages(
  name: string,
  {
    environment,
    program,
    ...rest
  }: Pick<ForeignLanguage, "clients" | "packages" | "isAlwaysDriven"> & { environment: string; program: string },
): ForeignLanguage {
  const pinned = `${environment}.txt`;
  return {
    name,
    ...rest,
    pinnedIn: join("python", pinned),
    availability: () => needs("python3", "Python 3"),
    async install() {
      const requirements = join(sources, "python", pinned);
      const packages = await madeOnce(folderFor("python", pinned), async (folder) => {
        // The file names every package, also those that others need.
        await run("python3", ["-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, "-r", requirements]);
      });
      return ["env", `PYTHONPATH=${packages}`, "python3", join(sources, "python", program)];
    },
  };
}

const client = (name: string, entry: ConversationEndpoint, more: Partial<ForeignClient> = {}): ForeignClient => ({
  name,
  entry,
  tellsThoughts: true,
  ...more,
});
/** Structured answers of official libraries are in the grid of docs/conformance.md. */
const official = { does: playedScenarios.filter((scenario) => scenario !== "structured") };

const python = pythonPackages("Python", {
  environment: "requirements",
  program: "drive.py",
  isAlwaysDriven: true,
  packages: ["openai", "anthropic", "google-genai"],
  clients: [
    client("openai chat", "Chat Completions", official),
    client("openai responses", "Responses", official),
    client("anthropic", "Messages", official),
    client("google-genai", "Gemini", official),
  ],
});

const litellm = pythonPackages("LiteLLM", {
  environment: "litellm",
  program: "drive_litellm.py",
  packages: ["litellm"],
  clients: [
    client("litellm openai", "Chat Completions"),
    client("litellm responses", "Responses"),
    client("litellm anthropic", "Messages"),
    client("litellm gemini", "Gemini"),
  ],
});

const langchain = pythonPackages("LangChain", {
  environment: "langchain",
  program: "drive_langchain.py",
  packages: ["langchain-core", "langchain-openai", "langchain-anthropic", "langchain-google-genai"],
  clients: [
    // Its model for OpenAI reads no reasoning from chat completions.
    client("langchain-openai chat", "Chat Completions", { tellsThoughts: false }),
    client("langchain-openai responses", "Responses"),
    client("langchain-anthropic", "Messages"),
    client("langchain-google-genai", "Gemini"),
  ],
});

const llamaIndex = pythonPackages("LlamaIndex", {
  environment: "llamaindex",
  program: "drive_llamaindex.py",
  packages: [
    "llama-index-core",
    "llama-index-llms-openai",
    "llama-index-llms-anthropic",
    "llama-index-llms-google-genai",
  ],
  clients: [
    client("llama-index-llms-openai", "Chat Completions", { tellsThoughts: false, ...official }),
    client("llama-index-llms-anthropic", "Messages", official),
    // The library itself takes an answer that reached its limit for an error.
    client("llama-index-llms-google-genai", "Gemini", { does: official.does.filter((name) => name !== "length") }),
  ],
});

const objects = { does: ["structured"] } as const;
const instructor = pythonPackages("instructor", {
  environment: "instructor",
  program: "drive_instructor.py",
  packages: ["instructor"],
  clients: [
    client("instructor openai", "Chat Completions", objects),
    client("instructor anthropic", "Messages", objects),
    client("instructor google-genai", "Gemini", objects),
  ],
});

const pydanticAi = pythonPackages("pydantic-ai", {
  environment: "pydantic-ai",
  program: "drive_pydantic_ai.py",
  packages: ["pydantic-ai-slim"],
  clients: [
    client("pydantic-ai openai chat", "Chat Completions"),
    client("pydantic-ai openai responses", "Responses"),
    // The library itself refuses structured answers of models that it does not know.
    client("pydantic-ai anthropic", "Messages", official),
    client("pydantic-ai google", "Gemini"),
  ],
});

const go: ForeignLanguage = {
  name: "Go",
  isAlwaysDriven: true,
  packages: ["github.com/openai/openai-go/v3", "github.com/anthropics/anthropic-sdk-go"],
  pinnedIn: join("go", "go.mod"),
  clients: [
    client("openai-go", "Chat Completions", { tellsThoughts: false, ...official }),
    client("anthropic-sdk-go", "Messages", official),
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

export const foreignLanguages: readonly ForeignLanguage[] = [
  python,
  go,
  litellm,
  langchain,
  llamaIndex,
  instructor,
  pydanticAi,
];

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
