/** The libraries of other languages that are driven, and what a machine needs for them. */
import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ConversationEndpoint } from "../conformance/conversation-scenario.ts";
import type { Availability } from "../harness/availability.ts";
import { findProgram } from "../harness/find-program.ts";
import { folderOf, madeOnce } from "../harness/made-once.ts";
import { pythonAvailable, pythonWith } from "../harness/python-packages.ts";
import {
  type DrivingCommand,
  type ForeignClient,
  type ForeignLanguage,
  playedScenarios,
} from "./foreign-clients.ts";

const run = promisify(execFile);

const sources = join(import.meta.dirname);

const needs = (program: string, what: string): Availability =>
  findProgram([program])
    ? { available: true }
    : { available: false, reason: `${what} is not installed` };

interface PythonPrograms extends Pick<ForeignLanguage, "clients" | "packages" | "isAlwaysDriven"> {
  /** The packages are in `python/<environment>.txt`. */
  environment: string;
  program: string;
  tasks?: string;
}

function pythonPackages(
  name: string,
  { environment, program, tasks, ...rest }: PythonPrograms,
): ForeignLanguage {
  const pinned = `${environment}.txt`;
  const install = async (source: string): Promise<DrivingCommand> => [
    ...(await pythonWith(join(sources, "python", pinned))),
    join(sources, "python", source),
  ];
  return {
    name,
    ...rest,
    pinnedIn: join("python", pinned),
    availability: pythonAvailable,
    install: () => install(program),
    ...(tasks && { installTasks: () => install(tasks) }),
  };
}

const client = (
  name: string,
  entry: ConversationEndpoint,
  more: Partial<ForeignClient> = {},
): ForeignClient => ({
  name,
  entry,
  tellsThoughts: true,
  ...more,
});
const unstructured = { does: playedScenarios.filter((scenario) => scenario !== "structured") };

const officialPython = {
  environment: "requirements",
  packages: ["openai", "anthropic", "google-genai"],
} as const;
const python = pythonPackages("Python", {
  ...officialPython,
  program: "drive.py",
  tasks: "drive_tasks.py",
  isAlwaysDriven: true,
  clients: [
    client("openai chat", "Chat Completions"),
    client("openai responses", "Responses"),
    client("anthropic", "Messages"),
    client("google-genai", "Gemini"),
  ],
});

/** `officialPythonFiles` are what the official libraries do with files. */
export const officialPythonFiles = pythonPackages("Python, files", {
  ...officialPython,
  program: "drive_files.py",
  clients: [client("google-genai", "Gemini")],
});

const asynchronousPython = pythonPackages("Python, asynchronous", {
  ...officialPython,
  program: "drive_async.py",
  clients: [
    client("openai chat, async", "Chat Completions"),
    client("openai responses, async", "Responses"),
    client("anthropic, async", "Messages"),
    client("google-genai, async", "Gemini"),
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
  // Its model for Anthropic accepts later versions of Anthropic's library than 0.125 and fails with
  // them by itself.
  environment: "llamaindex",
  program: "drive_llamaindex.py",
  packages: [
    "llama-index-core",
    "llama-index-llms-openai",
    "llama-index-llms-anthropic",
    "llama-index-llms-google-genai",
  ],
  clients: [
    client("llama-index-llms-openai", "Chat Completions", {
      tellsThoughts: false,
      ...unstructured,
    }),
    client("llama-index-llms-anthropic", "Messages", unstructured),
    // The library itself takes an answer that reached its limit for an error.
    client("llama-index-llms-google-genai", "Gemini", {
      does: unstructured.does.filter((name) => name !== "length"),
    }),
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
    client("pydantic-ai anthropic", "Messages", unstructured),
    client("pydantic-ai google", "Gemini"),
  ],
});

const goSources = [
  "go.mod",
  "go.sum",
  "main.go",
  "openai_chat.go",
  "openai_responses.go",
  "anthropic_messages.go",
].map((file) => join(sources, "go", file));
async function buildGo(): Promise<DrivingCommand> {
  const folder = await madeOnce(folderOf("go", goSources), async (unfinished) => {
    const source = join(unfinished, "source");
    await cp(join(sources, "go"), source, { recursive: true });
    await run("go", ["build", "-o", join(unfinished, "drive"), "."], { cwd: source });
  });
  return [join(folder, "drive")];
}

const go: ForeignLanguage = {
  name: "Go",
  isAlwaysDriven: true,
  packages: ["github.com/openai/openai-go/v3", "github.com/anthropics/anthropic-sdk-go"],
  pinnedIn: join("go", "go.mod"),
  clients: [
    client("openai-go", "Chat Completions", { tellsThoughts: false }),
    client("openai-go responses", "Responses"),
    client("anthropic-sdk-go", "Messages"),
  ],
  availability: () => needs("go", "Go"),
  install: buildGo,
  installTasks: buildGo,
};

export const foreignLanguages: readonly ForeignLanguage[] = [
  python,
  asynchronousPython,
  go,
  litellm,
  langchain,
  llamaIndex,
  instructor,
  pydanticAi,
];
