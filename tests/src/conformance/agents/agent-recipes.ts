// How each agent of the console's recipes runs without a terminal: the recipe is the console's own,
// and only the question is added.
import type { ClientName } from "../../../../console/src/components/use-key/client-snippets.ts";

export interface AgentRecipe {
  /** The agent, and the model where more than one is tried. */
  name: string;
  client: ClientName;
  model: string;
  /** The program that the last line of the recipe starts, and what runs it without a terminal. */
  program: string;
  headless: { subcommand?: string; args: readonly string[] };
  /** `env` is what the test adds to the environment: no telemetry, no updates, no questions. */
  env?: Readonly<Record<string, string>>;
  /**
   * What it says where a conversation is too long; missing where it shortens the conversation and
   * goes on.
   */
  saysTooLong?: RegExp;
  /** It changes files by words alone. */
  editsByWords?: true;
}

/** Words of providers that agents without words of their own pass on. */
const tooLongWords =
  /maximum context length|exceeds the context window|prompt is too long|exceeds the maximum number of tokens/;

const codex = (model: string): AgentRecipe => ({
  name: `Codex, ${model}`,
  client: "codex",
  model,
  program: "codex",
  headless: {
    subcommand: "exec",
    args: ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
  },
  // In its next turn it shortens the conversation; this is its only one.
  saysTooLong: /ran out of room in the model's context window/,
});

export const agentRecipes: readonly AgentRecipe[] = [
  codex("gpt-5.3-codex"),
  codex("gpt-5.5"),
  codex("gpt-6.2-sol"),
  {
    name: "Claude Code",
    client: "claude-code",
    model: "claude-sonnet-4-6",
    program: "claude",
    headless: {
      args: ["--permission-mode", "acceptEdits", "--allowedTools", "Bash,Read,Edit", "-p"],
    },
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
  },
  {
    name: "Gemini CLI",
    client: "gemini-cli",
    model: "gemini-2.5-pro",
    program: "gemini",
    headless: { args: ["--yolo", "-p"] },
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_CLI_NO_RELAUNCH: "true" },
    saysTooLong: tooLongWords,
  },
  {
    name: "OpenCode",
    client: "opencode",
    model: "agent-x",
    program: "opencode",
    headless: { subcommand: "run", args: [] },
    env: {
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_PERMISSION: '{"edit":"allow","bash":"allow"}',
    },
  },
  {
    name: "Qwen Code",
    client: "qwen-code",
    model: "agent-x",
    program: "qwen",
    headless: { args: ["--yolo", "-p"] },
    env: { QWEN_CODE_NO_RELAUNCH: "true" },
    saysTooLong: tooLongWords,
  },
  { name: "pi", client: "pi", model: "agent-x", program: "pi", headless: { args: ["-p"] } },
  {
    name: "Kilo Code",
    client: "kilo",
    model: "agent-x",
    program: "kilo",
    headless: { subcommand: "run", args: ["--auto"] },
  },
  {
    name: "Continue",
    client: "continue",
    model: "agent-x",
    program: "cn",
    headless: { args: ["--auto", "-p"] },
    saysTooLong: /Context length exceeded/,
  },
  {
    name: "Cline",
    client: "cline",
    model: "agent-x",
    program: "cline",
    headless: { args: ["--yolo"] },
  },
  {
    name: "aider",
    client: "aider",
    model: "agent-x",
    program: "aider",
    headless: {
      args: [
        "--yes-always",
        "--no-git",
        "--no-check-update",
        "--no-show-model-warnings",
        "greeting.txt",
        "--message",
      ],
    },
    editsByWords: true,
  },
  {
    name: "mini-swe-agent",
    client: "mini-swe-agent",
    model: "agent-x",
    program: "mini",
    headless: { args: ["--yolo", "--exit-immediately", "--task"] },
    env: { MSWEA_CONFIGURED: "true" },
    saysTooLong: /ContextWindowExceededError/,
  },
];
