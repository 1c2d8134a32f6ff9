// Coding agents that run without their vendor's service: how each gets the gateway's address and
// its task.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConversationEndpoint } from "../conversation-scenario.ts";

export interface AgentSetup {
  /** The gateway, and a key for it. */
  url: string;
  key: string;
  model: string;
  /** A folder that the agent takes for the user's own. */
  home: string;
  /** The agent is to shorten a conversation of a few hundred tokens. */
  compactsEarly?: boolean;
}

export interface CodingAgent {
  /** Its name in the npm registry. */
  library: string;
  program: string;
  entry: ConversationEndpoint;
  /** Its calls are turns of a WebSocket. */
  isOverSocket?: true;
  /** It works on when it is interrupted without a terminal. */
  ignoresSignals?: true;
  /** `keepsNoSignatures` sends no signatures of calls back. */
  keepsNoSignatures?: true;
  /**
   * `compaction` is what has it shorten its conversation: a command to it, or a full conversation.
   * Without either it is not tried.
   */
  compaction?: string;
  /** `prepare` gives what stands in its files of settings. */
  prepare?(setup: AgentSetup): Promise<void>;
  args(setup: AgentSetup, task: string): string[];
  /** `resumeArgs` does the same in the last session of this folder. */
  resumeArgs(setup: AgentSetup, task: string): string[];
  env(setup: AgentSetup): Record<string, string>;
}

async function write(folder: string, file: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, file), text);
}

/** `fullConversation` shortens its conversation by itself. */
export const fullConversation = "full";

const codexFlags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];

export const codingAgents: readonly CodingAgent[] = [
  {
    library: "@anthropic-ai/claude-code",
    program: "claude",
    entry: "Messages",
    compaction: "/compact",
    args: ({ model }, task) => ["-p", task, "--model", model, "--permission-mode", "acceptEdits"],
    resumeArgs: ({ model }, task) => [
      "--continue",
      "-p",
      task,
      "--model",
      model,
      "--permission-mode",
      "acceptEdits",
    ],
    env: ({ url, key }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
  },
  {
    library: "@openai/codex",
    program: "codex",
    entry: "Responses",
    isOverSocket: true,
    compaction: fullConversation,
    prepare: ({ home, url, model, compactsEarly }) =>
      write(
        join(home, ".codex"),
        "config.toml",
        [
          `model = "${model}"`,
          'model_provider = "tollgate"',
          ...(compactsEarly ? ["model_auto_compact_token_limit = 1000"] : []),
          "[model_providers.tollgate]",
          'name = "Tollgate"',
          `base_url = "${url}/v1"`,
          'env_key = "TOLLGATE_KEY"',
          'wire_api = "responses"',
          "supports_websockets = true",
          "",
        ].join("\n"),
      ),
    args: (_, task) => ["exec", ...codexFlags, task],
    resumeArgs: (_, task) => ["exec", "resume", "--last", ...codexFlags, task],
    env: ({ key, home }) => ({ TOLLGATE_KEY: key, CODEX_HOME: join(home, ".codex") }),
  },
  {
    library: "@google/gemini-cli",
    program: "gemini",
    entry: "Gemini",
    prepare: ({ home }) =>
      write(
        join(home, ".gemini"),
        "settings.json",
        JSON.stringify({
          security: { auth: { selectedType: "gemini-api-key" } },
          privacy: { usageStatisticsEnabled: false },
          general: { disableAutoUpdate: true },
        }),
      ),
    args: ({ model }, task) => ["--yolo", "--model", model, "--prompt", task],
    resumeArgs: ({ model }, task) => [
      "--yolo",
      "--model",
      model,
      "--resume",
      "latest",
      "--prompt",
      task,
    ],
    env: ({ url, key }) => ({
      GEMINI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      // Else it runs as a child of its own process, which signals do not reach.
      GEMINI_CLI_NO_RELAUNCH: "true",
    }),
  },
  {
    library: "opencode-ai",
    program: "opencode",
    entry: "Chat Completions",
    keepsNoSignatures: true,
    prepare: ({ home, url, key, model }) =>
      write(
        join(home, ".config", "opencode"),
        "opencode.json",
        JSON.stringify({
          autoupdate: false,
          share: "disabled",
          permission: { edit: "allow", bash: "allow" },
          provider: {
            tollgate: {
              npm: "@ai-sdk/openai-compatible",
              options: { baseURL: `${url}/v1`, apiKey: key },
              models: { [model]: { name: model, tool_call: true } },
            },
          },
        }),
      ),
    args: ({ model }, task) => ["run", "--model", `tollgate/${model}`, task],
    resumeArgs: ({ model }, task) => ["run", "--continue", "--model", `tollgate/${model}`, task],
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: "1" }),
  },
  {
    library: "@qwen-code/qwen-code",
    program: "qwen",
    entry: "Chat Completions",
    keepsNoSignatures: true,
    ignoresSignals: true,
    prepare: ({ home }) =>
      write(
        join(home, ".qwen"),
        "settings.json",
        JSON.stringify({
          security: { auth: { selectedType: "openai" } },
          privacy: { usageStatisticsEnabled: false },
          general: { disableAutoUpdate: true },
        }),
      ),
    args: ({ model }, task) => ["--yolo", "--model", model, "--prompt", task],
    resumeArgs: ({ model }, task) => ["--yolo", "--model", model, "--continue", "--prompt", task],
    env: ({ url, key }) => ({
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: `${url}/v1`,
      QWEN_CODE_NO_RELAUNCH: "true",
    }),
  },
];
